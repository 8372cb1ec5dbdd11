// cm hooks: written by `cm hooks install opencode`; manual changes are lost.
//
// Sends session events to cm and passes its answers to the model. Errors count as an empty answer.
// Supports opencode 1 (1.18.29 or later) and opencode 2, which have different plugin APIs.

import { spawn, spawnSync } from "node:child_process"

const PROGRAM = "cm"
const PATIENCE_MS = 5_000

/** What cm answers to an event; an empty object where it answers nothing. */
function ask(event, directory, message) {
  return new Promise((resolve) => {
    try {
      const child = spawn(PROGRAM, ["hook", "opencode", event], { cwd: directory, stdio: ["pipe", "pipe", "ignore"] })
      const timer = setTimeout(() => child.kill(), PATIENCE_MS)
      let said = ""
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (piece) => (said += piece))
      child.stdin.on("error", () => {})
      child.on("error", () => {
        clearTimeout(timer)
        resolve({})
      })
      child.on("close", () => {
        clearTimeout(timer)
        try {
          resolve(JSON.parse(said) ?? {})
        } catch {
          resolve({})
        }
      })
      child.stdin.end(JSON.stringify(message))
    } catch {
      resolve({})
    }
  })
}

/** What opencode tells cm of the sessions in a folder. */
function listener(directory) {
  const begun = new Set()
  const message = (event, session) => ({ hook_event_name: event, session_id: session, cwd: directory })
  const tell = (event, session, more = {}) => ask(event, directory, { ...message(event, session), ...more })

  // Sessions that were not deleted end with the process, which does not wait for asynchronous work.
  const open = new Set()
  process.once("exit", () => {
    for (const session of open) {
      const input = JSON.stringify(message("session-end", session))
      spawnSync(PROGRAM, ["hook", "opencode", "session-end"], { cwd: directory, input, stdio: ["pipe", "ignore", "ignore"], timeout: PATIENCE_MS })
    }
  })

  return {
    knows: (session) => begun.has(session),

    /** What the model is given at a prompt: once a session its start, then what fits the prompt. */
    async prompt(session, prompt, start = {}) {
      open.add(session)
      const answers = []
      if (!begun.has(session)) {
        begun.add(session)
        answers.push(await tell("session-start", session, start))
      }
      answers.push(await tell("prompt", session, { prompt }))
      return answers.map((answer) => answer.context).filter((text) => typeof text === "string")
    },

    /** Throws where a command must not run. */
    async tool(session, tool, input) {
      if (!["bash", "shell", "write", "edit", "patch", "apply_patch", "multiedit"].includes(tool)) return
      const answer = await tell("pre-tool", session, { tool_name: tool, tool_input: input })
      if (typeof answer.deny === "string") throw new Error(`cm guard: ${answer.deny}`)
    },

    /** The model forgets what it was given; the next prompt begins anew. */
    async compaction(session) {
      begun.delete(session)
      await tell("pre-compact", session)
    },

    stopped: (session) => void tell("stop", session),

    ended(session) {
      if (open.delete(session)) void tell("session-end", session)
    },
  }
}

export default {
  id: "cm",

  /** opencode 1 */
  server: async ({ directory }) => {
    const cm = listener(directory)
    return {
      "chat.message": async (input, output) => {
        const written = output.parts.filter((part) => part.type === "text" && !part.synthetic)
        const texts = await cm.prompt(input.sessionID, written.map((part) => part.text).join("\n"))
        // opencode sorts parts by ID. This ID sorts after the last one.
        const last = output.parts.at(-1)?.id ?? "prt_cm"
        texts.forEach((text, number) => {
          const place = { id: `${last}m${number}`, sessionID: input.sessionID, messageID: output.message.id }
          output.parts.push({ ...place, type: "text", text, synthetic: true })
        })
      },
      "tool.execute.before": (input, output) => cm.tool(input.sessionID, input.tool, output.args),
      "experimental.session.compacting": (input) => cm.compaction(input.sessionID),
      event: async ({ event }) => {
        if (event.type === "session.idle") cm.stopped(event.properties.sessionID)
        if (event.type === "session.deleted") cm.ended(event.properties.info?.id ?? event.properties.sessionID)
      },
    }
  },

  /** opencode 2 */
  setup: async (ctx) => {
    const cm = listener(ctx.location.directory)
    // The context is part of each request of the session and is not stored elsewhere. A new process does not have it.
    const given = new Map()
    await ctx.session.hook("prompt", async (event) => {
      const texts = await cm.prompt(event.sessionID, event.prompt?.text ?? "", { source: "clear" })
      given.set(event.sessionID, [...(given.get(event.sessionID) ?? []), ...texts])
    })
    await ctx.session.hook("context", (event) => {
      for (const text of given.get(event.sessionID) ?? []) event.system.push({ type: "text", text })
    })
    await ctx.tool.hook("execute.before", (event) => cm.tool(event.sessionID, event.tool, event.input))

    const over = new AbortController()
    const listen = async () => {
      for await (const event of ctx.event.subscribe({ signal: over.signal })) {
        // The stream contains events of other folders too.
        const session = event.data?.sessionID
        if (event.type?.startsWith("session.execution.") && !event.type.endsWith(".started") && cm.knows(session)) {
          cm.stopped(session)
        }
        if (event.type === "session.deleted") cm.ended(session)
      }
    }
    listen().catch(() => {})
    return () => over.abort()
  },
}
