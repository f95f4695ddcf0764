"""Forms for people. They read fields; wiki/pages/fields.py decides about the content of a page."""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from django import forms
from django.conf import settings
from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from wiki.agents.api_tokens import InvalidName, clean_name
from wiki.models import (
    MAX_AGENT_NAME,
    MAX_DESCRIPTION,
    MAX_SUMMARY,
    MergeMode,
    Page,
    PageType,
    Role,
    Scope,
    Wiki,
    WikiQuerySet,
)
from wiki.pages.fields import PageFields
from wiki.text.cleaning import MAX_TITLE


class PageForm(forms.Form):
    title = forms.CharField(label=_("Title"), required=False)
    type = forms.CharField(
        label=_("Type"),
        required=False,
        widget=forms.Select(choices=[("", pgettext_lazy("page type", "none")), *PageType.choices]),
    )
    tags = forms.CharField(
        label=_("Tags"),
        required=False,
        widget=forms.TextInput(attrs={"aria-describedby": "tags-help"}),
    )
    aliases = forms.CharField(
        label=_("Aliases"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2, "aria-describedby": "aliases-help"}),
    )
    body = forms.CharField(
        label=_("Text"),
        required=False,
        strip=False,
        widget=forms.Textarea(
            attrs={"rows": 22, "spellcheck": "true", "aria-describedby": "body-help"}
        ),
    )
    summary = forms.CharField(
        label=_("Summary of the change"),
        required=False,
        widget=forms.TextInput(attrs={"maxlength": MAX_SUMMARY}),
    )
    page_id = forms.IntegerField(required=False, widget=forms.HiddenInput)
    base_revision = forms.IntegerField(required=False, widget=forms.HiddenInput)
    # The same in every answer to one form: a page that is sent twice is made once, and a draft is
    # known as saved.
    form_key = forms.RegexField(r"^[0-9a-f]{32}$", required=False, widget=forms.HiddenInput)

    @classmethod
    def of_page(cls, page: Page) -> "PageForm":
        return cls(initial={**_shown(page), **_base(page), "form_key": _new_key()})

    @classmethod
    def of_nothing(cls, **initial: str) -> "PageForm":
        return cls(initial={**initial, "form_key": _new_key()})

    def on_base(self, page: Page) -> "PageForm":
        """The same text, to be saved on top of the page as it stands now."""
        return PageForm({**self._texts(), **_base(page)})

    def on_first(self, page: Page) -> "PageForm":
        """The same text, based on the first revision of the page."""
        return PageForm({**self._texts(), **_base(page), "base_revision": "1"})

    def with_body(self, body: str) -> "PageForm":
        return PageForm({**self._texts(), "body": body})

    def without_base(self) -> "PageForm":
        """The same text, to be saved as a new page."""
        return PageForm(
            {**self._texts(), "page_id": "", "base_revision": "", "form_key": _new_key()}
        )

    def _texts(self) -> dict[str, str]:
        return {name: str(self.data.get(name, "")) for name in self.fields}

    def focus(self, name: str) -> None:
        """Where the cursor stands when the form is opened."""
        self.fields[name].widget.attrs["autofocus"] = True

    def text(self, name: str) -> str:
        return str(self.cleaned_data.get(name) or "")

    def tag_list(self) -> list[str]:
        return self.text("tags").split(",")

    def alias_list(self) -> list[str]:
        return self.text("aliases").splitlines()

    def page_fields(self) -> PageFields:
        title, body, type = (self.text(name) for name in ("title", "body", "type"))
        return PageFields(title, body, type, self.tag_list(), self.alias_list())

    def show_errors(self, errors: Mapping[str, str]) -> None:
        for name, message in errors.items():
            self.add_error(name if name in self.fields else None, message)


def _shown(page: Page) -> dict[str, str]:
    return {
        "title": page.title,
        "type": page.type,
        "tags": ", ".join(page.tags),
        "aliases": "\n".join(page.aliases),
        "body": page.body,
    }


def _new_key() -> str:
    return uuid4().hex


def _base(page: Page) -> dict[str, str]:
    return {"page_id": str(page.pk), "base_revision": str(page.revision)}


class WikiForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=MAX_TITLE)
    description = forms.CharField(
        label=_("What it is about"), max_length=MAX_DESCRIPTION, required=False
    )


class WikiSettingsForm(WikiForm):
    language = forms.ChoiceField(
        label=_("Language of the texts"),
        required=False,
        choices=[
            ("", pgettext_lazy("language of a wiki", "several, or not told")),
            *settings.LANGUAGES,
        ],
    )
    merge_mode = forms.ChoiceField(
        label=_("Pages that say the same"),
        required=False,
        choices=[("", _("as the installation is set")), *MergeMode.choices],
    )
    is_public = forms.BooleanField(label=_("Public: everybody may read"), required=False)

    @classmethod
    def of_wiki(cls, wiki: Wiki) -> "WikiSettingsForm":
        return cls(initial={name: getattr(wiki, name) for name in cls.base_fields})


class RoleForm(forms.Form):
    role = forms.ChoiceField(
        label=_("Role"), choices=Role.choices, initial=Role.EDITOR, widget=forms.RadioSelect
    )


class InvitationForm(forms.Form):
    note = forms.CharField(label=_("For whom"), max_length=MAX_TITLE, required=False)
    role = forms.ChoiceField(label=_("Role"), choices=Role.choices, initial=Role.EDITOR)
    days = forms.TypedChoiceField(
        label=_("Valid for"),
        coerce=int,
        choices=[(1, _("1 day")), (7, _("7 days")), (30, _("30 days"))],
        initial=7,
    )
    # The same in every answer to one form: sent twice it makes one link.
    form_key = forms.RegexField(r"^[0-9a-f]{32}$", required=False, widget=forms.HiddenInput)

    @classmethod
    def fresh(cls) -> "InvitationForm":
        return cls(initial={"form_key": _new_key()})


class ConnectForm(forms.Form):
    """A new token for an agent. `others` are the wikis that it may be given as well."""

    agent = forms.CharField(
        label=_("Name of the agent"),
        max_length=MAX_AGENT_NAME,
        widget=forms.TextInput(attrs={"list": "agents", "autocomplete": "off"}),
    )
    scope = forms.ChoiceField(
        label=_("It may"), choices=Scope.choices, initial=Scope.WRITE, widget=forms.RadioSelect
    )
    days = forms.TypedChoiceField(
        label=_("The token is good for"),
        coerce=int,
        choices=[
            (30, _("30 days")),
            (90, _("90 days")),
            (365, _("1 year")),
            (0, _("as long as nobody revokes it")),
        ],
        initial=365,
    )
    requests_per_minute = forms.IntegerField(
        label=_("Requests a minute"), required=False, min_value=0, max_value=2**31 - 1
    )
    also_opens = forms.ModelMultipleChoiceField(
        label=_("It also opens"),
        queryset=Wiki.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    # The same in every answer to one form: sent twice it makes one token.
    form_key = forms.RegexField(r"^[0-9a-f]{32}$", widget=forms.HiddenInput)

    def __init__(self, *args: Any, others: WikiQuerySet, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["also_opens"].queryset = others  # type: ignore[attr-defined]

    def clean_agent(self) -> str:
        try:
            return clean_name(self.cleaned_data["agent"])
        except InvalidName as error:
            raise forms.ValidationError(_("An agent needs a name.")) from error

    @classmethod
    def of_agent(cls, name: str, others: WikiQuerySet) -> "ConnectForm":
        return cls(initial={"agent": name, "form_key": _new_key()}, others=others)


class AccountForm(UserCreationForm):
    """The account of an invited person. Only an installation with mail asks for an address."""

    class Meta:
        model = User
        fields = ("username", "email")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Without it the browser's store of passwords keeps the password under no name.
        self.fields["username"].widget.attrs["autocomplete"] = "username"
        self.fields["username"].label = _("User name")
        self.fields["email"].widget.attrs["autocomplete"] = "email"
        self.fields["email"].help_text = _(
            "For a new password when you forgot yours. May stay empty."
        )
        if not settings.HAS_MAIL:
            del self.fields["email"]
