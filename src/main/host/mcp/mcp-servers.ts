import type { BaseTree } from '#core/ports/base-tree.ts'
import { type McpAccount, type McpConnector, McpError, type McpTool } from '#core/ports/mcp-client.ts'
import type { Tool } from '#core/tools/tool.ts'
import type { McpResourceView, McpServerView } from '#shared/contract/views/extensions.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { UserPart } from '#shared/model/message.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import type { ServerPrompt } from '../extensions/slash-list.ts'
import { hashOf, type McpDefinition, projectServers, serversIn } from './mcp-definitions.ts'
import { createMcpLink, type McpLink } from './mcp-link.ts'
import { createMcpLoginFlows, type McpLoginFlows } from './mcp-login-flows.ts'
import { mcpToolName } from './mcp-names.ts'
import type { McpQuestions } from './mcp-questions.ts'
import type { McpTrust } from './mcp-trust.ts'
import { changeOf, toolsOf } from './tools-of-server.ts'

export interface McpServersOptions {
  readonly base: BaseTree
  readonly connector: McpConnector
  readonly trust: McpTrust
  /** True when the folder is trusted. Only then the project's own servers count. */
  readonly folderTrusted: () => boolean
  /** The rule that denies every call of a tool, by the name that agents know. Undefined for none. */
  readonly denyingRule: (tool: string) => string | undefined
  /** `mcp_servers` of the user's settings. */
  readonly userServers: () => Readonly<Record<string, unknown>>
  /** Takes what servers ask. Absent where nobody is there to be asked. */
  readonly questions?: McpQuestions
}

/** The servers of one project. Nothing starts or asks before a person trusted the exact definition. */
export interface McpServers extends AsyncDisposable {
  /** Reads the definitions again and connects the trusted ones. Never throws: a failure becomes a visible state. */
  refresh(): Promise<void>
  /** The tools of the connected servers. */
  tools(): readonly Tool[]
  /** The prompts of the connected servers. */
  prompts(): readonly ServerPrompt[]
  /** What a prompt says, with a person's words in the order of its parameters. Throws `McpError`. */
  promptText(prompt: ServerPrompt, words: readonly string[], signal: AbortSignal): Promise<string>
  /** The resources of the connected servers whose server, address or name contains a query; so many at most. */
  resources(query: string, limit: number): readonly McpResourceView[]
  /** What a resource of a server that a person trusts holds. Null when no such server is defined. Throws `McpError`. */
  readResource(server: string, uri: string, signal: AbortSignal): Promise<readonly UserPart[] | null>
  /** Servers and tools that an agent does not get although a person trusts them, a line for each. */
  warnings(): Promise<readonly string[]>
  /** The start of the tool names of each defined server, connected or not. */
  prefixes(): readonly string[]
  list(): Promise<{ readonly servers: readonly McpServerView[]; readonly problems: readonly string[] }>
  /**
   * Adds servers that the person's own program brings, such as their editor, until this process ends. They count as the
   * person's own and as trusted. One that the settings define already stays as it is there.
   */
  lend(servers: Readonly<Record<string, unknown>>): Promise<void>
  /** Throws `NOT_FOUND` when the definition no longer exists. */
  setTrusted(hash: string, trusted: boolean): Promise<void>
  readonly logins: McpServerLogins
  /** Undefined where nobody is there to be asked. */
  readonly questions: McpQuestions | undefined
}

/** Logins to the servers of a project. `hash` names a definition, and is `NOT_FOUND` when it is no longer there. */
export interface McpServerLogins extends Omit<McpLoginFlows, 'begin' | 'address' | keyof AsyncDisposable> {
  /**
   * Begins a login, and gives the page to log in at. `remember` is false for one that ends with the app. Throws `REFUSED` for
   * a server that is not trusted, and for one that says nothing of logins.
   */
  begin(hash: string, remember: boolean): Promise<{ readonly address: string }>
  /** Forgets the login. */
  end(hash: string): Promise<void>
}

const nothingMade = { from: [], tools: [] }

export function createMcpServers({
  base,
  connector,
  trust,
  folderTrusted,
  denyingRule,
  userServers,
  questions,
}: McpServersOptions): McpServers {
  const links = new Map<string, McpLink>()
  const flows = createMcpLoginFlows(connector)
  let defined: readonly string[] = []
  let lent: Readonly<Record<string, unknown>> = {}
  let alwaysShown: ReadonlySet<string> = new Set()
  let made: { readonly from: readonly (readonly McpTool[])[]; readonly tools: readonly Tool[] } = nothingMade

  async function definitions() {
    const [own, ofProject] = [serversIn({ ...lent, ...userServers() }, 'user'), await projectServers(base)]
    const names = new Set(own.servers.map(({ name }) => name))
    // A project cannot replace a server that the user has defined.
    const servers = [...own.servers, ...ofProject.servers.filter(({ name }) => !names.has(name))]
    return { servers, problems: [...own.problems, ...ofProject.problems] }
  }

  const mayConnect = ({ source, hash }: McpDefinition): boolean =>
    trust.isTrusted(hash) && (source === 'user' || folderTrusted())

  async function refresh(): Promise<void> {
    const { servers } = await definitions()
    defined = servers.map(({ name }) => mcpToolName(name, ''))
    const allowed = servers.filter(mayConnect)
    const shown = new Set(servers.flatMap((one) => (one.alwaysShown ? [one.hash] : [])))
    if (shown.symmetricDifference(alwaysShown).size > 0) made = nothingMade
    alwaysShown = shown
    const gone = [...links.keys()].filter((hash) => allowed.every((one) => one.hash !== hash))
    await Promise.all(gone.map(close))
    for (const one of allowed) if (!links.has(one.hash)) links.set(one.hash, createMcpLink(one, connector))
    await Promise.all([...links.values()].map((link) => link.connect()))
    for (const link of links.values()) await approveFirst(link)
  }

  /**
   * Trusting a server approves its tools as they are at its first answer. Later tools need their own approval, even if
   * all are new and the first answer had none.
   */
  async function approveFirst({ definition: { hash }, state, tools }: McpLink): Promise<void> {
    if (state().kind !== 'ready' || trust.hasAnswered(hash)) return
    await trust.approveTools(hash, Object.fromEntries(tools().map((tool) => [tool.name, hashOf(tool)])))
  }

  async function close(hash: string): Promise<void> {
    const link = links.get(hash)
    links.delete(hash)
    await link?.[Symbol.asyncDispose]()
  }

  /** The same list until a server lists other tools, because agents ask for it at every step. */
  function tools(): readonly Tool[] {
    const lists = [...links.values()].map((link) => link.tools())
    const isSame = lists.length === made.from.length && lists.every((list, index) => list === made.from[index])
    if (isSame) return made.tools
    const offered = [...links.values()].flatMap((link) =>
      toolsOf(link, { trust, mayConnect, alwaysShown: alwaysShown.has(link.definition.hash), ask: questions?.ask }),
    )
    made = { from: lists, tools: offered }
    return offered
  }

  async function find(hash: string): Promise<McpDefinition> {
    const found = (await definitions()).servers.find((one) => one.hash === hash)
    if (found) return found
    throw new WireError('NOT_FOUND', 'This server is not defined like this any more. Look at it again.')
  }

  async function findConnectable(hash: string): Promise<McpDefinition> {
    const found = await find(hash)
    if (mayConnect(found)) return found
    throw new WireError('REFUSED', `Trust ${found.name} first.`)
  }

  /** Null for a server that cannot say it now, such as one whose address needs a variable that is not set. */
  async function accountOf({ transport }: McpDefinition): Promise<McpAccount | null> {
    try {
      return await connector.account(transport)
    } catch {
      return null
    }
  }

  async function view(definition: McpDefinition): Promise<McpServerView> {
    const { name, source, transport, hash } = definition
    const link = links.get(hash)
    const shown = link?.tools() ?? []
    return {
      name,
      source,
      hash,
      transport,
      trusted: trust.isTrusted(hash),
      login: { address: flows.address(hash), account: await accountOf(definition) },
      state: link?.state() ?? { kind: mayConnect(definition) ? 'idle' : 'untrusted' },
      tools: shown.map((tool) => ({
        name: tool.name,
        description: tool.description,
        tokens: Math.ceil(JSON.stringify(tool).length / 4),
        change: changeOf(trust, definition, tool) ?? null,
        deniedBy: denyingRule(mcpToolName(name, tool.name)) ?? null,
      })),
      leftOut: link?.leftOut() ?? [],
      errorOutput: link?.errorOutput() ?? '',
    }
  }

  return {
    refresh,
    tools,
    prompts: () =>
      [...links.values()].flatMap((link) => link.prompts().map((prompt) => ({ server: link.definition.name, prompt }))),
    async promptText({ server, prompt: { name, parameters } }, words, signal) {
      const link = [...links.values()].find(({ definition }) => definition.name === server)
      if (!link || !mayConnect(link.definition)) throw new McpError('closed', 'The server is no longer trusted.')
      // What is left over belongs to the last parameter.
      const given = [
        ...words.slice(0, parameters.length - 1),
        words.slice(Math.max(0, parameters.length - 1)).join(' '),
      ]
      const args = parameters.map((one, index) => [one.name, given[index] ?? ''] as const)
      return link.promptText(name, Object.fromEntries(args.filter(([, value]) => value !== '')), signal)
    },
    resources(query, limit) {
      const words = query.toLowerCase()
      const all = [...links.values()].flatMap((link) =>
        link
          .resources()
          .map(({ uri, name, description }) => ({ server: link.definition.name, uri, name, description })),
      )
      const fitting = all.filter(({ server, uri, name }) => `${server}:${uri} ${name}`.toLowerCase().includes(words))
      return fitting.slice(0, limit)
    },
    async readResource(server, uri, signal) {
      const { servers } = await definitions()
      const definition = servers.find(({ name }) => name === server)
      if (definition === undefined) return null
      const link = links.get(definition.hash)
      if (!link || !mayConnect(definition)) throw new McpError('closed', 'A person must trust the server first.')
      return link.readResource(uri, signal)
    },
    async warnings() {
      const { problems } = await definitions()
      const ofLinks = [...links.values()].flatMap((link) =>
        link.problems().map((problem) => oneLine(`The server ${link.definition.name}: ${problem}${helpFor(link)}`)),
      )
      return [...problems.map(oneLine), ...ofLinks]
    },
    prefixes: () => defined,
    async list() {
      const { servers, problems } = await definitions()
      return { servers: await Promise.all(servers.map(view)), problems }
    },
    async lend(brought) {
      if (Object.keys(brought).length === 0) return
      lent = { ...lent, ...brought }
      const own = userServers()
      const { servers } = await definitions()
      for (const { name, hash } of servers)
        if (Object.hasOwn(brought, name) && !Object.hasOwn(own, name) && !trust.isTrusted(hash)) await trust.trust(hash)
      await refresh()
    },
    async setTrusted(hash, trusted) {
      await find(hash)
      if (!trusted) await flows.cancel(hash)
      await (trusted ? trust.trust(hash) : trust.revoke(hash))
      await refresh()
    },
    questions,
    logins: {
      begin: async (hash, remember) =>
        flows.begin(await findConnectable(hash), remember, async () => {
          await links.get(hash)?.connectAnew()
          await refresh()
        }),
      wait: flows.wait,
      answer: flows.answer,
      cancel: flows.cancel,
      async end(hash) {
        await flows.cancel(hash)
        await connector.logOut((await find(hash)).transport)
        await links.get(hash)?.connectAnew()
      },
    },
    async [Symbol.asyncDispose]() {
      await flows[Symbol.asyncDispose]()
      await Promise.all([...links.keys()].map(close))
    },
  }
}

/** What a person does in a terminal, where nothing can be clicked. */
function helpFor({ state, definition }: McpLink): string {
  return state().kind === 'login' ? ` Run: coppice mcp login ${JSON.stringify(definition.name)}` : ''
}
