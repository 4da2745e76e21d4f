"""An assistant by the official SDK, of either major version: calls tools, and prints what it got.

usage: client.py MODE stdio COMMAND ARGUMENT...
       client.py MODE http URL TOKEN

MODE: `auto`, `legacy` or a version of the protocol for the SDK 2; `legacy` for the SDK 1. The calls are read from standard input:
[["care_list", {"day": "today"}], …]. Prints {"version": …, "instructions": …, "tools": […], "results": […]}.
"""
import contextlib
import importlib.metadata
import json
import sys

import anyio

MODE, WAY, *PLACE = sys.argv[1:]
IS_NEW = int(importlib.metadata.version("mcp").split(".")[0]) >= 2


@contextlib.asynccontextmanager
async def transport():
    """The streams, or whatever the SDK takes for them."""
    if WAY == "stdio":
        from mcp.client.stdio import StdioServerParameters, stdio_client

        parameters = StdioServerParameters(command=PLACE[0], args=PLACE[1:])
        if IS_NEW:
            yield stdio_client(parameters)
        else:
            async with stdio_client(parameters) as streams:
                yield streams
        return
    headers = {"Authorization": f"Bearer {PLACE[1]}"}
    if IS_NEW:
        from mcp.client.streamable_http import streamable_http_client
        from mcp.shared._httpx_utils import create_mcp_http_client

        async with create_mcp_http_client(headers=headers) as client:
            yield streamable_http_client(PLACE[0], http_client=client)
    else:
        from mcp.client.streamable_http import streamablehttp_client

        async with streamablehttp_client(PLACE[0], headers=headers) as (reader, writer, _):
            yield reader, writer


@contextlib.asynccontextmanager
async def client(streams):
    """The client, its version of the protocol, and the server's instructions."""
    if IS_NEW:
        from mcp import Client

        async with Client(streams, mode=MODE) as made:
            yield made, made.protocol_version, made.instructions
    else:
        from mcp import ClientSession

        async with ClientSession(*streams) as made:
            greeting = await made.initialize()
            yield made, greeting.protocolVersion, greeting.instructions


def shown(result):
    """The result of a tool."""
    error = result.is_error if IS_NEW else result.isError
    structured = result.structured_content if IS_NEW else result.structuredContent
    return {"error": bool(error), "text": result.content[0].text, "structured": structured}


async def main():
    calls, results = json.load(sys.stdin), []
    async with transport() as streams, client(streams) as (assistant, version, instructions):
        tools = [tool.model_dump(mode="json", by_alias=True) for tool in (await assistant.list_tools()).tools]
        for name, arguments in calls:
            try:
                results.append(shown(await assistant.call_tool(name, arguments)))
            except Exception as failure:  # noqa: BLE001 - an error of the protocol is what is told
                results.append({"protocol": f"{type(failure).__name__}: {failure}"})
    print(json.dumps({"version": version, "instructions": instructions, "tools": tools, "results": results}))


anyio.run(main)
