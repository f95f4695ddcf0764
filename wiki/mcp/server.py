"""The MCP server: lists the tools and carries each call to the API for one caller."""

from typing import Any, Protocol

import mcp_types as types
from asgiref.sync import sync_to_async
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from wiki.mcp.api_client import Answer, Call
from wiki.mcp.render import tell_problem
from wiki.mcp.tools import INSTRUCTIONS, TOOLS, Tool

NAME, VERSION = "covey", "1"


class Sender(Protocol):
    def send(self, call: Call) -> Answer: ...


def make_server(sender: Sender) -> Server[Any]:
    """One for each request, or for the life of a process on stdio."""

    async def list_tools(
        context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return LISTED

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tool = TOOLS.get(params.name)
        if tool is None:
            known = ", ".join(TOOLS)
            raise MCPError(
                types.INVALID_PARAMS, f"There is no tool “{params.name[:100]}”. There are: {known}."
            )
        # In the thread of the request, or in the one thread that a process on stdio keeps for it.
        return await sync_to_async(use_tool)(tool, params.arguments or {}, sender)

    return Server(
        NAME,
        version=VERSION,
        title=NAME,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        get_tool_input_schema=lambda name: TOOLS[name].input_schema if name in TOOLS else None,
    )


def use_tool(tool: Tool, arguments: dict[str, Any], sender: Sender) -> types.CallToolResult:
    given = {name: value for name, value in arguments.items() if value is not None}
    if refusal := tool.refuse(given):
        return _result(refusal, is_error=True)
    answer = sender.send(tool.call(given))
    if answer.is_refused:
        return _result(tell_problem(answer), is_error=True)
    structured = tool.shown(answer.content) if tool.output_schema else None
    return _result(tool.tell(answer, given), structured)


def _result(
    text: str, structured: dict[str, Any] | None = None, is_error: bool = False
) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structured_content=structured,
        is_error=is_error,
    )


def _listed(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        # All of them may be called again with the same arguments: no text is kept twice, and a
        # second write is refused.
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.is_read_only,
            destructive_hint=tool.is_destructive,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )


LISTED = types.ListToolsResult(tools=[_listed(tool) for tool in TOOLS.values()])
