import { z } from 'zod'
import type { FoundTool } from '#shared/model/thread.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import { failedOutput, type Tool, type ToolOutput, textOutput } from './tool.ts'

export const schema = z.object({
  query: z.string().min(1).max(500).describe('Words of what the tool does, or its exact name.'),
})

export interface SearchToolsOptions {
  /** The tools that a thread is not shown at first, when the tool is made. It only names some of them. */
  readonly hidden: readonly Tool[]
  /** All tools that can be found now. */
  readonly all: () => readonly Tool[]
  /** True for a tool that the thread is shown already. */
  readonly isShown: (name: string) => boolean
  /** How the model is shown a tool. */
  readonly specOf: (tool: Tool) => FoundTool
}

/** Tools of one answer, and characters of their descriptions and schemas. */
const mostFound = 10
const mostCharacters = 60_000

/**
 * `search_tools`: with many tools of servers, a request names some of them and shows none. What a search finds is shown from the
 * next request on, after the tools that were there before, so that requests still begin with the same bytes.
 */
export function createSearchTools(options: SearchToolsOptions): Tool<z.infer<typeof schema>> {
  return {
    ...toolFacts.search_tools,
    description: `Finds tools of connected servers by what they do. Those that it finds can be called from your next reply on. ${nameTools(options.hidden)}`,
    schema,
    run: async ({ query }) => findTools(query, options),
  }
}

function findTools(query: string, { all, isShown, specOf }: SearchToolsOptions): ToolOutput {
  const tools = all()
  const found = rank(tools, query).slice(0, mostFound)
  if (found.length === 0)
    return failedOutput(`None of the ${tools.length} tools fits. Use other words, or fewer. ${nameTools(tools)}`)
  const shown: FoundTool[] = []
  let characters = 0
  for (const tool of found) {
    const spec = specOf(tool)
    characters += JSON.stringify(spec).length
    if (characters > mostCharacters && shown.length > 0) break
    shown.push(spec)
  }
  const fresh = shown.filter(({ name }) => !isShown(name))
  const lines = shown.map(({ name, description }) => `${name}: ${firstLine(description)}`)
  const left = rank(tools, query).length - shown.length
  const more = left > 0 ? `\n${left} more fit. A narrower query finds them.` : ''
  const text = `These tools can be called from your next reply on:\n${lines.join('\n')}${more}`
  return { ...textOutput(text), ...(fresh.length > 0 && { entries: [{ type: 'tools.found', tools: fresh }] }) }
}

/** Best first; without those that no word fits. A word in the name says more than one in the description. */
function rank(tools: readonly Tool[], query: string): readonly Tool[] {
  const exact = tools.filter(({ name, serverTool }) => name === query.trim() || serverTool === query.trim())
  if (exact.length > 0) return exact
  const words = wordsIn(query)
  const scored = tools.map((tool) => {
    const [name, description] = [wordsIn(tool.name), tool.description.toLowerCase()]
    const score = words.reduce((sum, word) => {
      if (name.includes(word)) return sum + 5
      if (name.some((part) => part.startsWith(word) || word.startsWith(part))) return sum + 3
      return sum + (description.includes(word) ? 1 : 0)
    }, 0)
    return { tool, score }
  })
  return scored
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ tool }) => tool)
}

function wordsIn(text: string): readonly string[] {
  const spaced = text.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return spaced.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1 && word !== 'mcp')
}

function firstLine(description: string): string {
  return beginningOf(description.split('\n', 1)[0] ?? '', 200)
}

/** Characters of all names that a request holds. */
const mostNames = 2_000

/** The names of tools by their server, as far as there is room for all servers alike. */
function nameTools(tools: readonly Tool[]): string {
  const servers = new Map<string, string[]>()
  for (const { name } of tools) {
    const [, server = '', own = name] = /^mcp__([A-Za-z0-9_-]+?)__(.*)$/.exec(name) ?? []
    servers.set(server, [...(servers.get(server) ?? []), own])
  }
  const room = mostNames / Math.max(1, servers.size)
  const texts = [...servers].map(([server, names]) => {
    const listed = beginningOf(names.join(', '), Math.max(0, Math.floor(room) - server.length - 20))
    const whole =
      listed.length === names.join(', ').length ? listed : listed.slice(0, Math.max(0, listed.lastIndexOf(',')))
    const rest = whole === names.join(', ') ? '' : whole === '' ? '…' : ', …'
    return `mcp__${server}__ (${names.length}): ${whole}${rest}`
  })
  const text = texts.join('; ')
  return text.length <= 2 * mostNames
    ? `There are ${text}.`
    : `There are ${tools.length} tools of ${servers.size} servers.`
}
