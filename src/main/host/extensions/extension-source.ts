import { parseSettings } from '#adapters/settings/settings-file.ts'
import type { Settings } from '#adapters/settings/settings-schema.ts'
import { type AgentDefinition, generalPurpose } from '#core/agent/types/agent-definition.ts'
import { type ExtensionSource, type Extensions, noExtensions } from '#core/agent/types/extensions.ts'
import type { AgentSettings } from '#core/agent/types/settings.ts'
import type { ServerToolName } from '#core/approval/tool-names.ts'
import type { Instructions, Skill } from '#core/prompts/appendices.ts'
import type { Tool } from '#core/tools/tool.ts'
import { parentOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import { type ClaudeSettings, projectClaudeSettings } from '../hooks/claude-settings.ts'
import { joinPermissions } from '../hooks/join-permissions.ts'
import type { McpServers } from '../mcp/mcp-servers.ts'
import { type Agents, agentsIn, type FoundAgent, projectAgents } from './agents.ts'
import { personCommandFiles, projectCommandFiles } from './command-files.ts'
import { commandsIn } from './commands.ts'
import type { ExtensionProblem } from './front-matter.ts'
import { ownInstructions, readInstructions, wordsOf } from './instructions.ts'
import { narrowingKeys, narrowSettings, proposingKeys } from './narrow-settings.ts'
import { joinSettings, readOtherFolders } from './other-folders.ts'
import type { PersonFolders } from './person-folders.ts'
import { type ProjectFiles, projectText } from './project-text.ts'
import { type FoundSkill, type KnownSkills, projectSkills, type Skills, skillFiles, userSkills } from './skills.ts'
import { type SlashList, slashList } from './slash-list.ts'

export interface ExtensionOptions {
  /** Its access follows the user's settings, narrowed by the project's as `narrow` does. */
  readonly files: ProjectFiles
  /** Nothing is read from a project before it is trusted. */
  readonly trusted: () => boolean
  readonly mcp: McpServers
  /** `subagents` of the user's settings. */
  readonly userAgents: () => readonly unknown[]
  readonly settingsFile: string
  /** Where the person keeps skills and commands of their own. */
  readonly person: PersonFolders
  /** The person's own settings of Claude Code, of which rules that deny and ask count. */
  readonly home: () => ClaudeSettings
  /** The folder with the person's own instructions. */
  readonly dataFolder: string
  /** The prefix below which agents find the user's skills. */
  readonly inputsPrefix: string
}

/** Everything found, for display: with its sources and with the problems. */
export interface FoundExtensions {
  readonly skills: Skills
  readonly agents: Agents
  readonly settings: ProjectSettings
}

export interface ProjectExtensions extends ExtensionSource {
  find(): Promise<FoundExtensions>
  /** Everything as last found. */
  found(): FoundExtensions
  /** Connects servers, and takes the definitions as last loaded. */
  connect(): Promise<Extensions>
  /** What a word after a slash can mean now. Servers are not waited for. */
  slash(): Promise<SlashList>
  /** The user's settings, narrowed by the project's settings as last loaded. */
  narrow(own: AgentSettings): AgentSettings
  /** What `narrow` narrows by. Another object after each reading. */
  narrowing(): Settings
  /** The project's settings as last loaded. Empty before it is trusted. */
  projectSettings(): Settings
}

const nothing = { skills: [], agents: [], settings: {}, problems: [] } as const

/** The agents, skills and instructions that the user and the project add. When both use a name, the user's counts. */
export function createExtensionSource(options: ExtensionOptions): ProjectExtensions {
  const { files, trusted, mcp } = options
  let loaded: Extensions = { ...noExtensions, isTrusted: trusted() }
  let narrowing: ProjectSettings = nothing
  let lastFound: FoundExtensions = { skills: nothing, agents: nothing, settings: nothing }
  const known: KnownSkills = new Map()

  async function findExtensions(): Promise<FoundExtensions> {
    // First, because what may be read follows them.
    const ofTools = [options.home(), ...(trusted() ? await projectClaudeSettings(files) : [])]
    narrowing = joinPermissions(trusted() ? await readAllSettings(files) : nothing, ofTools, ofServers().serverTools)
    const [ownSkills, skills] = [
      await userSkills(options.person.skills, known),
      trusted() ? await projectSkills(files, known) : nothing,
    ]
    const [ownAgents, agents] = [
      agentsIn(options.userAgents(), options.settingsFile),
      trusted() ? await projectAgents(files) : nothing,
    ]
    const [allSkills, allAgents] = [byName(ownSkills.skills, skills.skills), byName(ownAgents.agents, agents.agents)]
    lastFound = {
      skills: { skills: allSkills.used, problems: [...ownSkills.problems, ...skills.problems, ...allSkills.problems] },
      agents: { agents: allAgents.used, problems: [...ownAgents.problems, ...agents.problems, ...allAgents.problems] },
      settings: narrowing,
    }
    return lastFound
  }

  /** What the connected servers add. */
  const ofServers = (): Pick<Extensions, 'tools' | 'serverTools'> => ({
    tools: mcp.tools(),
    serverTools: { tools: mcp.tools().flatMap(serverToolName), prefixes: mcp.prefixes() },
  })

  async function reload(): Promise<Extensions> {
    loaded = { ...(await readExtensions(options, await findExtensions())), ...ofServers() }
    return loaded
  }

  return {
    current() {
      loaded = withTools(loaded, mcp.tools())
      return loaded
    },
    find: findExtensions,
    found: () => lastFound,
    async connect() {
      await mcp.refresh()
      loaded = { ...loaded, ...ofServers() }
      return loaded
    },
    async slash() {
      // First, because what may be read follows its settings.
      const { skills } = await findExtensions()
      return findSlashList(options, skills.skills)
    },
    narrow: (own) => narrowSettings(own, narrowing.settings),
    narrowing: () => narrowing.settings,
    projectSettings: () => (trusted() ? narrowing.settings : {}),
    reload,
    async refresh() {
      await mcp.refresh()
      return reload()
    },
    instructionsAt: async (path) => (trusted() ? instructionsAbove(files, path) : []),
  }
}

async function findSlashList(
  { files, trusted, person, mcp }: ExtensionOptions,
  skills: readonly FoundSkill[],
): Promise<SlashList> {
  const [own, ofProject] = await Promise.all([
    personCommandFiles(person.commands),
    trusted() ? projectCommandFiles(files) : { files: [], left: 0 },
  ])
  return slashList(skills, { own: commandsIn(own), ofProject: commandsIn(ofProject) }, mcp.prompts())
}

/** Everything but the tools of servers. */
async function readExtensions(
  options: ExtensionOptions,
  { skills, agents, settings }: FoundExtensions,
): Promise<Omit<Extensions, 'tools' | 'serverTools'>> {
  const isTrusted = options.trusted()
  return {
    isTrusted,
    instructions: [
      ...(await ownInstructions(options.dataFolder)),
      ...(isTrusted ? await readInstructions(options.files) : []),
    ],
    skills: skills.skills.map((skill) => readableSkill(options, skill)),
    agents: withGeneralPurpose(agents.agents),
    notes: [
      ...[...agents.problems, ...skills.problems].filter(({ gate }) => !gate).map(sentenceOf),
      ...agents.agents.flatMap((one) => unusedKeys('agent', one)),
      ...skills.skills.flatMap((one) => unusedKeys('skill', one)),
    ],
    gateProblems: [...agents.problems, ...settings.problems].flatMap(gateProblem),
  }
}

/** The instructions of the folders above a path, outermost first, without what those of the root say. */
async function instructionsAbove(files: ProjectFiles, path: VirtualPath): Promise<readonly Instructions[]> {
  const folders: VirtualPath[] = []
  for (let folder = parentOf(path); folder !== rootPath; folder = parentOf(folder)) folders.unshift(folder)
  const [root, ...below] = await Promise.all([rootPath, ...folders].map((folder) => readInstructions(files, folder)))
  // A link to the instructions of a folder above, or a copy of them, says nothing more.
  const told = new Set((root ?? []).map(({ text }) => wordsOf(text)))
  return below.flat().filter(({ text }) => !told.has(wordsOf(text)) && told.add(wordsOf(text)))
}

/** Servers list other tools at any time. The same extensions while the tools are the same. */
function withTools(loaded: Extensions, tools: readonly Tool[]): Extensions {
  if (tools === loaded.tools) return loaded
  return { ...loaded, tools, serverTools: { ...loaded.serverTools, tools: tools.flatMap(serverToolName) } }
}

/** The types that a task may name, general-purpose first. A definition of that name replaces the built-in one. */
function withGeneralPurpose(agents: readonly FoundAgent[]): readonly AgentDefinition[] {
  const own = agents.find(({ name }) => name === generalPurpose.name)
  return [own ?? generalPurpose, ...agents.filter((agent) => agent !== own)]
}

function gateProblem(problem: ExtensionProblem): readonly string[] {
  return problem.gate ? [sentenceOf(problem)] : []
}

function sentenceOf({ file, line, message }: ExtensionProblem): string {
  return `${file}${line === null ? '' : `:${line}`}: ${message}`
}

/** One line for each definition with keys that this version does not use. */
function unusedKeys(kind: string, { name, source, unknownKeys }: FoundAgent | FoundSkill): readonly string[] {
  if (unknownKeys.length === 0) return []
  return [oneLine(`The ${kind} ${name} (${source}): Coppice does not use ${unknownKeys.join(', ')}.`)]
}

function serverToolName({ name, serverTool }: Tool): readonly ServerToolName[] {
  return serverTool === undefined ? [] : [{ name, serverTool }]
}

function readableSkill({ inputsPrefix }: ExtensionOptions, skill: FoundSkill): Skill {
  const { name, description, file, folder, isFor } = skill
  const shown = { name, description, ...(isFor.agents ? {} : ({ isUnlisted: true } as const)) }
  if (file !== null) return { ...shown, file, attached: () => [] }
  const place = `${inputsPrefix}skills/${name.replace(/[^\w.-]/g, '_')}`
  return { ...shown, file: `${place}/SKILL.md` as VirtualPath, attached: () => skillFiles(folder, place) }
}

interface Named {
  readonly name: string
  readonly source: string
}

/** The first definition of a name counts. The others are reported, not silently dropped. */
function byName<One extends Named>(own: readonly One[], ofProject: readonly One[]) {
  const used = new Map<string, One>()
  const problems: ExtensionProblem[] = []
  for (const one of [...own, ...ofProject]) {
    const first = used.get(one.name)
    if (!first) used.set(one.name, one)
    else problems.push({ file: one.source, line: null, message: `${one.name} is already defined in ${first.source}.` })
  }
  return { used: [...used.values()], problems }
}

const projectSettingsFile = '/.coppice/settings.json' as VirtualPath

export interface ProjectSettings {
  readonly settings: Settings
  readonly problems: readonly ExtensionProblem[]
}

async function readAllSettings(files: ProjectFiles): Promise<ProjectSettings> {
  const { settings, problems } = await readProjectSettings(files)
  const others = await readOtherFolders(files)
  return {
    settings: joinSettings(settings, others),
    problems: [...problems, ...others.flatMap((one) => one.problems)],
  }
}

/** What a project says in settings of which it may only propose a part. */
function unusedParts({ sandbox, environment, folders }: Settings): readonly string[] {
  const isProposal = typeof sandbox === 'object' && Object.keys(sandbox).every((key) => key === 'proposed_hosts')
  return [
    ...(sandbox === undefined || isProposal ? [] : ['sandbox, except for its proposed_hosts,']),
    ...(environment?.projects ? ['environment.projects'] : []),
    ...(folders?.projects ? ['folders.projects'] : []),
    ...(environment?.timeout_minutes === undefined ? [] : ['environment.timeout_minutes']),
  ]
}

/** The settings of a trusted project. Keys that could give agents more are reported and not used. */
export async function readProjectSettings(files: ProjectFiles): Promise<ProjectSettings> {
  const file = projectSettingsFile
  const text = await projectText(files, file)
  if (text === undefined) return { settings: {}, problems: [] }
  const { settings, found } = parseSettings(file, text)
  const isUsed = (key: string) => narrowingKeys.has(key) || proposingKeys.has(key)
  const refused = [...Object.keys(settings).filter((key) => !isUsed(key)), ...unusedParts(settings)]
  const widens = [...refused, ...(settings.permissions?.allow.length ? ['permissions.allow'] : [])]
  return {
    settings: Object.fromEntries(Object.entries(settings).filter(([key]) => isUsed(key))),
    problems: [
      ...found.map(({ said: message, about, gate }) => ({ file, line: null, about, message, ...(gate && { gate }) })),
      ...widens.map((key) => ({
        file,
        line: null,
        about: key,
        message: `${key} is not used: a project can only narrow what agents may do.`,
      })),
    ],
  }
}
