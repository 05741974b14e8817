import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { printableJson } from '#shared/text/control-characters.ts'
import { appVersion } from '../app-paths.ts'
import { type CommandLine, UsageError } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { openHost } from '../open-host.ts'
import { printStatus } from '../print-status.ts'
import { terminal } from '../screen/terminal.ts'
import { callTool, type ServedFolder } from './call-tool.ts'
import { type TaskTool, type ToolName, taskTools } from './tools.ts'

/** Bytes of one message of a client. A task may be long. */
const maxBufferSize = 16 * 1024 * 1024

/**
 * `coppice mcp`: a server of the Model Context Protocol on standard input and output, through which other agents give tasks
 * to Coppice and look at what came of them. With `--tool` it answers one call and ends.
 */
export async function mcp(line: CommandLine): Promise<number> {
  const { runLine } = terminal()
  if (!runLine) throw new Error('Command lines cannot be carried out here.')
  const folder = resolve(line.positionals[0] ?? process.cwd())
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`mcp: there is no folder ${folder}.`)
  await using host = await openHost(line, 'cli')
  const placeWords = ['data-dir', 'settings'].flatMap((name) => {
    const value = line.text(name)
    return value === undefined ? [] : [`--${name}`, resolve(value)]
  })
  const served: ServedFolder = { host, runLine, folder, placeWords }
  return line.text('tool') === undefined ? await serve(served) : await callOnce(line, served)
}

async function serve(served: ServedFolder): Promise<number> {
  const { input, output, onStop } = terminal()
  if (input.isTTY)
    printStatus('coppice mcp speaks the Model Context Protocol and is started by another agent. Ctrl+C ends it.')
  const { promise: closed, resolve: close } = Promise.withResolvers<void>()
  for (const event of ['end', 'close', 'error']) input.on(event, () => close())
  using _stopping = onStop(close)
  const transport = new StdioServerTransport(
    input as ConstructorParameters<typeof StdioServerTransport>[0],
    output as ConstructorParameters<typeof StdioServerTransport>[1],
    { maxBufferSize },
  )
  const handle = serveStdio(() => createServer(served), { transport, onerror: ({ message }) => printStatus(message) })
  await closed
  await handle.close()
  return exitCodes.done
}

function createServer(served: ServedFolder): McpServer {
  const server = new McpServer(
    { name: 'coppice', title: 'Coppice', version: appVersion() },
    {
      capabilities: { tools: {} },
      instructions:
        'Coppice gives tasks to agents that work on copy-on-write branches of this project. Start one with start_task, follow it with thread_status, look at it with diff. Nothing here approves a call or writes to the folder: a person does that in Coppice.',
    },
  )
  for (const [name, tool] of Object.entries<TaskTool>(taskTools)) {
    const { title, description, input: inputSchema, output: outputSchema, isReadOnly } = tool
    const annotations = {
      title,
      readOnlyHint: isReadOnly,
      destructiveHint: false,
      openWorldHint: name === 'start_task',
    }
    server.registerTool(name, { title, description, inputSchema, outputSchema, annotations }, async (args, context) => {
      try {
        const result = await callTool(served, name as ToolName, args, context.mcpReq.signal)
        return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result }
      } catch (error) {
        return {
          isError: true,
          content: [{ type: 'text', text: error instanceof Error ? error.message : String(error) }],
        }
      }
    })
  }
  return server
}

/** Answers one call: `{"result"}` or `{"error"}`. A task that it began here goes on to its end. */
async function callOnce(line: CommandLine, served: ServedFolder): Promise<number> {
  const { output, onStop } = terminal()
  const name = Object.keys(taskTools).find((one) => one === line.text('tool')) as ToolName | undefined
  if (name === undefined) throw new UsageError(`--tool takes ${Object.keys(taskTools).join(', ')}.`)
  const stopping = new AbortController()
  using _stopping = onStop(() => stopping.abort())
  try {
    const tasks: Promise<unknown>[] = []
    const args = parse(line.text('arguments') ?? '{}')
    const result = await callTool(served, name, args, stopping.signal, (ended) => void tasks.push(ended))
    output.write(`${printableJson({ result })}\n`)
    // A window stays by itself.
    if (served.host.options.frontend === 'cli') await Promise.all(tasks)
    return exitCodes.done
  } catch (error) {
    output.write(`${printableJson({ error: error instanceof Error ? error.message : String(error) })}\n`)
    return error instanceof UsageError ? exitCodes.usage : exitCodes.failed
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError('--arguments takes a JSON object.')
  }
}
