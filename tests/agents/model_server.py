"""A language model without a model: a server on loopback whose answers stand in the prompt.

    model_server.py REQUESTS.jsonl

It prints its URL, then serves the APIs of Anthropic (messages), OpenAI (responses, chat completions) and Google
(generateContent), streamed or whole. A prompt holds its script in double brackets:

    [[shell git push --force]]                      the model calls the agent's shell with this command
    [[tool memory_feedback {"id": "b-1"}]]          the model calls the tool whose name ends so
    [[say Done.]]                                   the model answers with these words

Each step is one answer of the model; the number of tool results that follow the prompt says which step is next. A
prompt without a script is answered with "Understood.". Every request is appended to REQUESTS.jsonl as
{"path", "texts", "tools"}: all texts that the model was given, and the names of the tools.
"""

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SHELLS = ("Bash", "bash", "shell", "shell_command", "exec_command", "local_shell", "run_shell_command", "run_commands")
STEP = re.compile(r"\[\[(shell|tool|say) (.*?)\]\]", re.DOTALL)
ANSWER = "Understood."


def texts_of(value):
    """Every text in a message's content, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from texts_of(item)
    elif isinstance(value, dict):
        for key in ("text", "content", "parts", "output", "functionResponse", "response", "error"):
            yield from texts_of(value.get(key))


class Conversation:
    """A request, whichever API it came by: texts by role, results since the last script, and the offered tools."""

    def __init__(self, path, body):
        self.api = next(
            (api for api in ("messages", "responses", "chat/completions") if path.split("?")[0].endswith(api)), "google"
        )
        self.texts, self.steps, self.results = [], [], 0
        self.texts += texts_of(body.get("system")) if self.api == "messages" else []
        self.texts += texts_of(body.get("instructions"))
        self.texts += texts_of(body.get("systemInstruction"))
        entries = body.get("messages") or body.get("input") or body.get("contents") or []
        for entry in [entries] if isinstance(entries, str) else entries:
            self.take(entry)
        self.tools = dict(self.offered(body.get("tools") or []))

    def take(self, entry):
        if isinstance(entry, str):
            entry = {"role": "user", "content": entry}
        results = self.count_results(entry)
        texts = list(texts_of(entry.get("content"))) + list(texts_of(entry.get("parts"))) + list(texts_of(entry.get("output")))
        self.texts += texts
        self.results += results
        if entry.get("role") == "user" and not results:
            steps = [step for text in texts for step in STEP.findall(text)]
            if steps:
                self.steps, self.results = steps, 0

    @staticmethod
    def count_results(entry):
        if entry.get("role") == "tool" or str(entry.get("type", "")).endswith("_call_output"):
            return 1
        parts = entry.get("parts") if isinstance(entry.get("parts"), list) else entry.get("content")
        parts = parts if isinstance(parts, list) else []
        return sum(1 for part in parts if isinstance(part, dict) and (part.get("type") == "tool_result" or "functionResponse" in part))

    def offered(self, tools, prefix=""):
        for tool in tools:
            if "functionDeclarations" in tool:
                yield from self.offered(tool["functionDeclarations"])
            elif tool.get("type") == "namespace":
                yield from self.offered(tool.get("tools") or [], tool["name"])
            else:
                function = tool.get("function") or tool
                schema = next((function[key] for key in ("input_schema", "parameters", "parametersJsonSchema") if key in function), {})
                yield (prefix, function.get("name", "")), schema

    def answer(self):
        """The next step: ("say", words) or ("call", namespace, tool, arguments)."""
        # Without tools the agent wants something else, such as a title.
        if not self.tools or self.results >= len(self.steps):
            return "say", ANSWER
        kind, words = self.steps[self.results]
        if kind == "say":
            return "say", words
        if kind == "shell":
            found = next(((name, schema) for name, schema in self.tools.items() if name[1] in SHELLS), None)
            return ("call", *found[0], command(words, found[1])) if found else ("say", "no shell is offered")
        name, _, arguments = words.partition(" ")
        found = next((offered for offered in self.tools if offered[1].endswith(name)), None)
        return ("call", *found, parsed(arguments)) if found else ("say", f"no tool {name} is offered")


def parsed(arguments):
    """Arguments in JSON, which a shell or an agent may have quoted once more."""
    try:
        return json.loads(arguments or "{}")
    except ValueError:
        return json.loads(arguments.replace('\\"', '"'))


def command(line, schema):
    """The arguments of a shell's call, as its schema names them."""
    properties = schema.get("properties", {})
    if "commands" in properties:
        return {"commands": [line]}
    name = "cmd" if "cmd" in properties else "command"
    is_list = properties.get(name, {}).get("type") in ("array", "ARRAY")
    arguments = {name: ["sh", "-c", line] if is_list else line}
    for required in schema.get("required", []):
        arguments.setdefault(required, "as asked")
    return arguments


def anthropic(answer, model):
    if answer[0] == "say":
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": answer[1]}
        whole, reason = {"type": "text", "text": answer[1]}, "end_turn"
    else:
        _, _, name, arguments = answer
        identity = {"type": "tool_use", "id": f"toolu_{number()}", "name": name}
        block, delta = {**identity, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
        whole, reason = {**identity, "input": arguments}, "tool_use"
    usage = {"input_tokens": 9, "output_tokens": 9}
    message = {"id": f"msg_{number()}", "type": "message", "role": "assistant", "model": model, "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    events = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]
    return {**message, "content": [whole], "stop_reason": reason}, [(event["type"], event) for event in events]


def responses(answer, model):
    if answer[0] == "say":
        item = {"type": "message", "role": "assistant", "id": f"item_{number()}", "content": [{"type": "output_text", "text": answer[1], "annotations": []}]}
    else:
        _, namespace, name, arguments = answer
        item = {"type": "function_call", "id": f"item_{number()}", "call_id": f"call_{number()}", "name": name, "arguments": json.dumps(arguments)}
        item.update({"namespace": namespace} if namespace else {})
    usage = {"input_tokens": 9, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 9, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 18}
    response = {"id": f"resp_{number()}", "object": "response", "model": model, "status": "completed", "output": [item], "usage": usage}
    events = [
        {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response},
    ]
    return response, [(event["type"], event) for event in events]


def chat(answer, model):
    if answer[0] == "say":
        message, reason = {"role": "assistant", "content": answer[1]}, "stop"
    else:
        _, _, name, arguments = answer
        call = {"index": 0, "id": f"call_{number()}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        message, reason = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
    usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
    base = {"id": f"chat_{number()}", "created": 0, "model": model}
    chunks = [{"index": 0, "delta": message, "finish_reason": None}], [{"index": 0, "delta": {}, "finish_reason": reason}], []
    events = [(None, {**base, "object": "chat.completion.chunk", "choices": choices, **({} if choices else {"usage": usage})}) for choices in chunks]
    choice = {"index": 0, "message": message, "finish_reason": reason}
    return {**base, "object": "chat.completion", "choices": [choice], "usage": usage}, [*events, (None, "[DONE]")]


def google(answer, model):
    if answer[0] == "say":
        part = {"text": answer[1]}
    else:
        part = {"functionCall": {"name": answer[2], "args": answer[3]}}
    usage = {"promptTokenCount": 9, "candidatesTokenCount": 9, "totalTokenCount": 18}
    candidate = {"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}
    response = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": model}
    return response, [(None, response)]


APIS = {"messages": anthropic, "responses": responses, "chat/completions": chat, "google": google}
numbers = iter(range(1, 1 << 30))


def number():
    return next(numbers)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            body = json.loads(body or b"{}")
        except ValueError:
            body = {}
        path = self.path.split("?")[0]
        if path.endswith("count_tokens"):
            return self.send({"input_tokens": 9})
        if path.endswith(":countTokens"):
            return self.send({"totalTokens": 9})
        if not path.endswith(("messages", "responses", "completions", "enerateContent")):
            return self.send({})
        conversation = Conversation(path, body)
        with open(sys.argv[1], "a", encoding="utf-8") as log:
            names = [name for _, name in conversation.tools]
            log.write(json.dumps({"path": path, "texts": conversation.texts, "tools": names}) + "\n")
        whole, events = APIS[conversation.api](conversation.answer(), body.get("model") or "scripted")
        is_stream = body.get("stream") or "streamGenerateContent" in path
        return self.stream(events) if is_stream else self.send(whole)

    def do_GET(self):
        self.send({"data": [], "models": []})

    def do_HEAD(self):
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def send(self, value):
        text = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def stream(self, events):
        lines = []
        for name, value in events:
            lines.append(f"event: {name}\n" if name else "")
            lines.append(f"data: {value if isinstance(value, str) else json.dumps(value)}\n\n")
        text = "".join(lines).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *arguments):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
