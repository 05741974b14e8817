import { ReadBuffer, Server, serializeMessage, type Transport } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { McpResult } from '#core/ports/mcp-client.ts'
import type { ServedTools, ToolServer } from '#core/ports/programs/external-agent.ts'
import type { Talk } from '#core/ports/shell.ts'
import { isJsonObject, type JsonObject } from '#shared/base/json.ts'

/** Bytes of one message. A task may be long. */
const maxBufferSize = 16 * 1024 * 1024
/** Milliseconds between two signs of life of a call. Many clients give up after a minute without one. */
const progressMs = 10_000

/** Serves the tools with the protocol's server library. `version` is the one that the server reports. */
export function createToolServer(version: string): ToolServer {
  return {
    serve(talk, tools) {
      const transport = talkTransport(talk)
      // What a program says wrongly is answered to it, and nobody else has use for it.
      const handle = serveStdio(() => serverOf(version, tools), { transport, onerror: () => undefined })
      void talk.ended.then(() => handle.close())
    },
  }
}

function serverOf(version: string, tools: ServedTools): Server {
  const { instructions } = tools
  const server = new Server(
    { name: 'coppice', title: 'Coppice', version },
    { capabilities: { tools: {} }, instructions },
  )
  const listed = tools.list()
  server.setRequestHandler('tools/list', () => ({
    tools: listed.map((tool) => ({ ...tool, inputSchema: { ...tool.inputSchema, type: 'object' as const } })),
  }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const token = mcpReq._meta?.progressToken
    let progress = 0
    const tell = () => {
      progress += 1
      const told = { method: 'notifications/progress', params: { progressToken: token ?? '', progress } } as const
      void mcpReq.notify(told).catch(() => undefined)
    }
    const beat = token === undefined ? undefined : setInterval(tell, progressMs)
    try {
      const args = JSON.parse(JSON.stringify(params.arguments ?? {})) as JsonObject
      return resultOf(await tools.call(params.name, isJsonObject(args) ? args : {}, mcpReq.signal))
    } finally {
      clearInterval(beat)
    }
  })
  return server
}

function resultOf({ ok, content }: McpResult) {
  const parts = content.map((part) =>
    part.type === 'text' ? part : ({ type: 'image', mimeType: part.mediaType, data: part.data } as const),
  )
  return { content: parts, ...(!ok && { isError: true }) }
}

/** A message in each line. A talk in which one is too long ends. */
function talkTransport(talk: Talk): Transport {
  const buffer = new ReadBuffer({ maxBufferSize })
  const transport: Transport = {
    async start() {
      talk.listen((bytes) => {
        try {
          buffer.append(Buffer.from(bytes))
        } catch (error) {
          transport.onerror?.(error as Error)
          talk.close()
          return
        }
        for (;;) {
          try {
            const message = buffer.readMessage()
            if (message === null) return
            transport.onmessage?.(message)
          } catch (error) {
            transport.onerror?.(error as Error)
          }
        }
      })
      void talk.ended.then(() => transport.onclose?.())
    },
    async send(message) {
      talk.write(serializeMessage(message))
    },
    async close() {
      talk.close()
    },
  }
  return transport
}
