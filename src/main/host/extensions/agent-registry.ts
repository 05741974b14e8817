import { basename } from 'node:path'
import { z } from 'zod'
import type { RegistryPreset } from '#shared/base/reach/registry-presets.ts'
import { oneLine, printableJson, shellWord, undrawn } from '#shared/text/control-characters.ts'
import { plural } from '#shared/text/plural.ts'

/**
 * The public registry of agents that speak the Agent Client Protocol, and the entry of one agent in it. The format is the one
 * of `FORMAT.md` of github.com/agentclientprotocol/registry. What is not needed is not read.
 */
const words = z.array(z.string().max(2_000)).max(100).default([])
const variables = z.record(z.string().regex(/^[A-Za-z_]\w*$/), z.string().max(10_000)).default({})
const packaged = z.object({
  package: z.string().min(1).max(500),
  cmd: z.string().min(1).optional(),
  args: words,
  env: variables,
})
const built = z.object({ archive: z.string().max(2_000), cmd: z.string().min(1).max(500), args: words, env: variables })
const entry = z.object({
  id: z
    .string()
    .max(60)
    .regex(/^[A-Za-z0-9][\w.-]*$/),
  name: z.string().min(1).max(200),
  description: z.string().max(2_000).default(''),
  distribution: z.object({
    npx: packaged.optional(),
    uvx: packaged.optional(),
    binary: z.record(z.string(), built).optional(),
  }),
})
const file = z.union([
  z.object({ agents: z.array(z.unknown()).max(5_000) }).transform(({ agents }) => agents),
  z.unknown().transform((one) => [one]),
])

/** An agent of the registry, as it would be defined here. */
export interface RegistryAgent {
  readonly name: string
  readonly title: string
  readonly description: string
  /** The program that must be there. */
  readonly program: string
  /** The whole command line. */
  readonly acp: string
  /** The registry that its program is fetched from, as a preset; empty for none. The hosts of its model are not known. */
  readonly hosts: readonly RegistryPreset[]
  readonly env: Readonly<Record<string, string>>
  /** How to get the program: a command, or an address. */
  readonly install: string
}

export interface RegistryFile {
  readonly agents: readonly RegistryAgent[]
  /** What was left out, as sentences. */
  readonly problems: readonly string[]
}

/** Reads a file in the format of the registry. `platform`: a target of it, such as `linux-x86_64`. */
export function readRegistry(text: string, platform: string): RegistryFile {
  const given = parse(text)
  if (given === undefined) return { agents: [], problems: ['The file is not JSON.'] }
  const names = new Set<string>()
  const read = file.parse(given).map((one) => {
    const agent = readEntry(one, platform)
    // A person adds one by its name, and must get the one that they saw.
    if (typeof agent !== 'string' && names.has(agent.name))
      return `${JSON.stringify(agent.name)} stands in the file before. Only the first counts.`
    if (typeof agent !== 'string') names.add(agent.name)
    return agent
  })
  const agents = read.flatMap((one) => (typeof one === 'string' ? [] : [one]))
  const problems = read.filter((one) => typeof one === 'string')
  const more = problems.length - mostProblems
  return {
    agents,
    problems: [...problems.slice(0, mostProblems), ...(more > 0 ? [`And ${plural(more, 'more', 'more')}.`] : [])],
  }
}

const mostProblems = 20

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function readEntry(given: unknown, platform: string): RegistryAgent | string {
  const read = entry.safeParse(given)
  if (!read.success) {
    const [issue] = read.error.issues
    return `${nameIn(given)} is no agent of the registry: ${issue?.path.join('.') || 'entry'}: ${issue?.message}`
  }
  const { id, name, description, distribution } = read.data
  const title = oneLine(name) || id
  const started = startOf(distribution, platform)
  if (started === undefined) return `${title} has no program for ${platform}.`
  if (unseen.test(started.acp)) return `${title} has a command with characters that nobody sees.`
  return { name: id, title, description: oneLine(description) || title, ...started }
}

function nameIn(given: unknown): string {
  const id = z.object({ id: z.string() }).safeParse(given)
  return id.success ? printableJson(id.data.id.slice(0, 60)) : 'An entry'
}

const unseen = new RegExp(undrawn, 'v')

type Start = Pick<RegistryAgent, 'program' | 'acp' | 'hosts' | 'env' | 'install'>

/** A package comes before a program that a person would have to fetch. */
function startOf({ binary, npx, uvx }: z.infer<typeof entry>['distribution'], platform: string): Start | undefined {
  const own = binary?.[platform]
  if (npx) {
    const { package: name, cmd, args, env } = npx
    const line = cmd === undefined ? ['npx', '-y', name, ...args] : ['npx', '-y', '--package', name, cmd, ...args]
    return { program: 'npx', acp: commandLine(line), hosts: ['preset:npm'], env, install: 'https://nodejs.org' }
  }
  if (uvx) {
    const { package: name, cmd, args, env } = uvx
    const line = cmd === undefined ? ['uvx', name, ...args] : ['uvx', '--from', name, cmd, ...args]
    return { program: 'uvx', acp: commandLine(line), hosts: ['preset:pypi'], env, install: 'https://docs.astral.sh/uv' }
  }
  if (!own) return undefined
  const program = basename(own.cmd.replaceAll('\\', '/'))
  return { program, acp: commandLine([program, ...own.args]), hosts: [], env: own.env, install: own.archive }
}

function commandLine(line: readonly string[]): string {
  return line.map(shellWord).join(' ')
}

const systems: Readonly<Record<string, string>> = { darwin: 'darwin', linux: 'linux', win32: 'windows' }
const processors: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' }

/** The target of this machine as the registry names it. */
export function platformHere(): string {
  const { platform, arch } = process
  return `${systems[platform] ?? platform}-${processors[arch] ?? arch}`
}
