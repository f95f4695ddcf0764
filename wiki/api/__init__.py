"""The JSON API of agents. It translates: parse, call one rule, answer."""
