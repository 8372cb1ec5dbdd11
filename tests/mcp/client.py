"""Asks a server of the Model Context Protocol for everything that it has, with the official Python client.

    client.py CALLS.json http://127.0.0.1:PORT/mcp
    client.py CALLS.json COMMAND [ARGUMENT...]

CALLS.json has arguments for each tool. A tool without them, a call that fails, an answer that its schema does not
allow, a resource or prompt that cannot be had: each ends it with a word about it.
"""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters


async def tools(client: Client, calls: dict) -> int:
    listed = (await client.list_tools()).tools
    again = (await client.list_tools()).tools
    assert [t.model_dump() for t in listed] == [t.model_dump() for t in again], "the list is another each time"
    unknown = {tool.name for tool in listed} ^ set(calls)
    assert not unknown, f"CALLS.json and the server differ in {sorted(unknown)}"
    for tool in listed:
        assert tool.annotations, f"{tool.name} has no annotations"
        result = await client.call_tool(tool.name, calls[tool.name])
        assert not result.is_error, f"{tool.name}: {result.content}"
        assert result.content, f"{tool.name} gives nothing"
    return len(listed)


async def resources(client: Client) -> int:
    listed = (await client.list_resources()).resources
    for resource in listed:
        contents = (await client.read_resource(str(resource.uri))).contents
        assert contents, f"{resource.uri} is empty"
    templates = (await client.list_resource_templates()).resource_templates
    assert templates, "there is no template"
    return len(listed)


async def prompts(client: Client) -> int:
    listed = (await client.list_prompts()).prompts
    for prompt in listed:
        required = {argument.name: "a test" for argument in prompt.arguments or [] if argument.required}
        got = await client.get_prompt(prompt.name, required)
        assert got.messages, f"{prompt.name} says nothing"
    return len(listed)


async def main(calls_path: str, target: list[str]) -> None:
    with open(calls_path, encoding="utf-8") as file:
        calls = json.load(file)
    for mode in ("legacy", "2026-07-28", "auto"):
        server = target[0] if target[0].startswith("http") else StdioServerParameters(command=target[0], args=target[1:])
        async with Client(server, mode=mode) as client:
            counts = await tools(client, calls), await resources(client), await prompts(client)
            print(f"{mode} ({client.protocol_version}): %d tools, %d resources, %d prompts" % counts)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2:]))
