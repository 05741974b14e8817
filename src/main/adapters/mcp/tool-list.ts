import type { Client } from '@modelcontextprotocol/client'
import type { McpTool } from '#core/ports/mcp-client.ts'

/** Sentences about what of a server cannot be used, each once. */
export interface Problems {
  add(sentence: string): void
  /** The same list until one is added or taken away. */
  all(): readonly string[]
  /** Forgets those of the list before. */
  clear(): void
}

export function createProblems(): Problems {
  let all: readonly string[] = []
  return {
    add(sentence) {
      if (!all.includes(sentence)) all = [...all, sentence]
    },
    all: () => all,
    clear() {
      all = []
    },
  }
}

/** The tools of a connected server. Disposing it stops looking. */
export interface ToolList extends Disposable {
  /** As the server listed them last: the same list until they are others. */
  current(): readonly McpTool[]
}

interface FollowOptions {
  readonly told: Problems
  /** For the first list. */
  readonly request: { readonly signal: AbortSignal; readonly timeout: number }
  /** Milliseconds for later ones. */
  readonly callMs: number
  /** Milliseconds between two lists. A server may say at every moment that its tools are others. */
  readonly quietMs: number
}

/** Reads the tools, and again when the server says that they changed. Throws what the library throws for the first list. */
export async function followTools(
  client: Client,
  { told, request, callMs, quietMs }: FollowOptions,
): Promise<ToolList> {
  const stopping = new AbortController()
  let tools = await listTools(client, told, request)
  let timer: NodeJS.Timeout | undefined
  let notBefore = 0

  async function readAgain(): Promise<void> {
    told.clear()
    try {
      const listed = await listTools(client, told, { signal: stopping.signal, timeout: callMs })
      if (JSON.stringify(listed) !== JSON.stringify(tools)) tools = listed
    } catch {
      // The list of before stays. A server that is gone is seen by its calls.
    } finally {
      notBefore = performance.now() + quietMs
      timer = undefined
    }
  }

  client.setNotificationHandler('notifications/tools/list_changed', () => {
    if (stopping.signal.aborted) return
    timer ??= setTimeout(() => void readAgain(), Math.max(0, notBefore - performance.now())).unref()
  })
  return {
    current: () => tools,
    [Symbol.dispose]() {
      stopping.abort()
      clearTimeout(timer)
    },
  }
}

/** Of one server. */
const mostTools = 500
/** Of one list. A server may give one tool, or none, on each. */
const mostPages = 200

/** Page by page, because the library gives up a server with many. */
async function listTools(
  client: Client,
  told: Problems,
  request: FollowOptions['request'],
): Promise<readonly McpTool[]> {
  const tools: McpTool[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  do {
    if (cursor !== undefined) seen.add(cursor)
    const params = cursor === undefined ? {} : { cursor }
    const page = await client.request({ method: 'tools/list', params }, request)
    for (const { name, description = '', inputSchema } of page.tools)
      tools.push({ name, description, inputSchema } as McpTool)
    cursor = page.nextCursor
  } while (cursor !== undefined && !seen.has(cursor) && seen.size < mostPages && tools.length <= mostTools)
  if (tools.length > mostTools || (cursor !== undefined && !seen.has(cursor)))
    told.add(
      `Only the first ${Math.min(tools.length, mostTools)} tools are offered, because it lists more than Coppice reads.`,
    )
  return tools.slice(0, mostTools)
}
