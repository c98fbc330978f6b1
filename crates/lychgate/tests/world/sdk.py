"""Drives `lych mcp` with the official MCP SDK, as an agent would.

usage: sdk.py MODE LYCH ARGUMENTS... ; orders on standard input, one line of JSON each, every answer is one line too
  {"do": "list"}
  {"do": "call", "name": "...", "arguments": {...}, "progress": false}
"""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters


async def obey(client, order):
    if order["do"] == "list":
        listed = await client.list_tools()
        return {"tools": [tool.name for tool in listed.tools], "protocol": client.protocol_version}
    heard = []

    async def progress(progress, total, message):
        heard.append(message)

    callback = progress if order.get("progress") else None
    result = await client.call_tool(order["name"], order["arguments"], progress_callback=callback)
    text = "\n".join(block.text for block in result.content)
    return {"answer": result.structured_content, "error": result.is_error, "text": text, "progress": heard}


async def main():
    mode, command, *arguments = sys.argv[1:]
    loop = asyncio.get_running_loop()
    async with Client(StdioServerParameters(command=command, args=arguments), mode=mode) as client:
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            answer = await obey(client, json.loads(line))
            print(json.dumps(answer), flush=True)


asyncio.run(main())
