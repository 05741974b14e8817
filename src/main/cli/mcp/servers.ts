import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Project } from '#host/project/project.ts'
import type { Host } from '#host/wiring/create-host.ts'
import type { McpServerView } from '#shared/contract/views/extensions.ts'
import { escapeControls, oneLine } from '#shared/text/control-characters.ts'
import { openPage } from '../../web/open-page.ts'
import { answerVerb, type VerbAnswer } from '../answer-verb.ts'
import { type CommandLine, UsageError } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { openHost } from '../open-host.ts'
import { printStatus } from '../print-status.ts'
import { type Line, lineOf, type Tone } from '../screen/spans.ts'
import { tableLines } from '../screen/table.ts'
import { terminal } from '../screen/terminal.ts'
import { trustAsAsked } from '../trust.ts'

interface ServerPlace {
  readonly host: Host
  readonly mcp: Project['mcp']
}

/** `coppice mcp servers`, `coppice mcp login` and `coppice mcp logout`. */
export function answerAboutServers(line: CommandLine): Promise<number> {
  return answerVerb(line, async () => {
    const words = line.command === 'mcp servers' ? ['', ...line.positionals] : line.positionals
    const [name, folder = '.'] = words
    if (name === undefined)
      throw new UsageError(`${line.command} needs the name of a server. "coppice mcp servers" lists them.`)
    const place = resolve(folder)
    if (!statSync(place, { throwIfNoEntry: false })?.isDirectory())
      throw new UsageError(`${line.command}: there is no folder ${place}.`)
    await using host = await openHost(line, 'cli')
    const project = await host.projects.open(place)
    const { mcp } = project
    if (line.command === 'mcp login') await trustOwn(mcp, name)
    await trustAsAsked(line, host, project)
    await mcp.refresh()
    if (line.command === 'mcp servers') return listServers(await mcp.list())
    const server = findServer(await mcp.list(), name)
    return await (line.command === 'mcp login' ? logIn(line, { host, mcp }, server) : logOut(mcp, server))
  })
}

/** Whoever names a server of their own settings to log in means exactly that address. */
async function trustOwn(mcp: Project['mcp'], name: string): Promise<void> {
  const own = (await mcp.list()).servers.find((server) => server.name === name && server.source === 'user')
  if (!own || own.trusted || own.transport.kind !== 'http') return
  await mcp.setTrusted(own.hash, true)
  printStatus(`Trusted: the server ${name} (${own.transport.url}).`)
}

function findServer({ servers }: { readonly servers: readonly McpServerView[] }, name: string): McpServerView {
  const found = servers.find((server) => server.name === name)
  if (found) return found
  const known = servers.map((server) => server.name).join(', ') || 'none is defined'
  throw new UsageError(`There is no server "${name}". Servers: ${known}.`)
}

/** Waits until the browser came back, or the person pasted where it ended. */
async function logIn(line: CommandLine, { host, mcp }: ServerPlace, server: McpServerView): Promise<VerbAnswer> {
  const { name, hash } = server
  const { output, environment, input, onStop } = terminal()
  const { address } = await mcp.logins.begin(hash, true)
  let isStopped = false
  using _stop = onStop(() => {
    isStopped = true
    void mcp.logins.cancel(hash)
  })
  output.write(escapeControls(`Log in to ${oneLine(name)} on this page:\n\n${address}\n\n`))
  using _page = line.flag('no-browser') ? null : openPage(address, host.options.dataFolder, environment)
  printStatus(
    'Waiting for the browser. If it runs on another machine, paste the address at which it ended. Ctrl+C cancels.',
  )
  const reader = createInterface({ input, terminal: false })
  reader.on('line', (text) => {
    try {
      if (text.trim() !== '') mcp.logins.answer(hash, text)
    } catch (error) {
      printStatus(error instanceof Error ? error.message : String(error))
    }
  })
  try {
    await mcp.logins.wait(hash)
  } catch (error) {
    if (isStopped)
      return { value: { cancelled: true }, lines: [lineOf('The login was cancelled.')], code: exitCodes.stopped }
    throw error
  } finally {
    reader.close()
  }
  const now = findServer(await mcp.list(), name)
  return { value: rowOf(now), lines: [lineOf(`${loginOf(now)}. ${placeOf(host)}`, 'good')] }
}

async function logOut(mcp: Project['mcp'], { name, hash, login }: McpServerView): Promise<VerbAnswer> {
  if (!login.account) return { value: { server: name }, lines: [lineOf(`${name} has no login.`)] }
  await mcp.logins.end(hash)
  return { value: { server: name }, lines: [lineOf(`Logged out of ${name}.`)] }
}

/** Where the login is now, for people. */
function placeOf({ options: { secrets, dataFolder } }: Host): string {
  if (secrets.storage === 'system') return 'The login is kept in the key store of this machine.'
  if (secrets.storage === 'none') return 'The login ends with the app that has the project open.'
  return `The login is kept in ${dataFolder}, in a file that only your account can read.`
}

function listServers({ servers, problems }: Awaited<ReturnType<Project['mcp']['list']>>): VerbAnswer {
  for (const problem of problems) printStatus(problem)
  const rows = servers.map((server): readonly Line[] => {
    const [word, tone] = words[server.state.kind]
    const { state } = server
    const tools = state.kind === 'ready' ? `${server.tools.length} tools` : 'reason' in state ? state.reason : ''
    return [lineOf(server.name), lineOf(word, tone), lineOf(loginOf(server)), lineOf(tools)]
  })
  const lines =
    rows.length === 0 ? [lineOf('No servers are defined.')] : tableLines(['server', 'state', 'login', ''], rows)
  return { value: { servers: servers.map(rowOf), problems }, lines }
}

function rowOf({ name, source, trusted, state, login, tools }: McpServerView): object {
  return { name, source, trusted, state: state.kind, login: login.account, tools: tools.length }
}

function loginOf({ login: { account } }: McpServerView): string {
  if (!account) return 'none'
  return account.name === null ? `Logged in at ${account.issuer}` : `Logged in as ${account.name}, at ${account.issuer}`
}

const words: Readonly<Record<McpServerView['state']['kind'], readonly [word: string, tone: Tone]>> = {
  untrusted: ['not trusted', 'warn'],
  idle: ['not connected', 'dim'],
  connecting: ['connecting', 'dim'],
  ready: ['connected', 'good'],
  failed: ['failed', 'bad'],
  login: ['needs a login', 'warn'],
}
