import { isNode, isSeq, LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import { goalFrom, goalSetting, interruptSetting } from '#adapters/settings/settings-schema.ts'
import { tuningShape } from '#adapters/settings/tuning-schema.ts'
import {
  type AgentDefinition,
  type AgentProgram,
  inputFilters,
  outputFilters,
} from '#core/agent/types/agent-definition.ts'
import type { AgentTuning } from '#core/agent/types/tuning.ts'
import type { InterruptSetting } from '#core/approval/interrupt-settings.ts'
import { definedToolName } from '#core/approval/tool-names.ts'
import { grantableHost } from '#shared/base/reach/host-names.ts'
import { agentModel } from '#shared/model/models/agent-model.ts'
import { efforts } from '#shared/model/models/model-facts.ts'
import { modelFamily } from '#shared/model/models/model-family.ts'
import { joinPath, nameOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import { usableSchema } from '../headless/read-answer.ts'
import { tuningFrom } from '../settings/tuning.ts'
import { type ExtensionProblem, isRecord, readFrontMatter, readYaml } from './front-matter.ts'
import { withoutComments } from './instructions.ts'
import {
  mostBytes,
  mostDefinitions,
  namesIn,
  type ProjectFiles,
  type ProjectText,
  readProjectText,
  tooMany,
} from './project-text.ts'

export interface FoundAgent extends AgentDefinition {
  /** Keys that this version does not use. */
  readonly unknownKeys: readonly string[]
}

export interface Agents {
  readonly agents: readonly FoundAgent[]
  readonly problems: readonly ExtensionProblem[]
}

/** Below the home, and never all of it. */
const homePath = z
  .string()
  .max(500)
  .regex(/^~\/[^/]/, 'A path of your home begins with ~/ and names something in it.')
  .refine((path) => !path.split('/').includes('..'), 'A path of your home has no .. in it.')
const list = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => splitNames(typeof given === 'string' ? given : given.join(',')))
const answerSchema = z.record(z.string(), z.json()).superRefine((given, context) => {
  try {
    usableSchema(given)
  } catch (error) {
    context.addIssue(error instanceof Error ? error.message : String(error))
  }
})
/** The keys of a definition. The descriptions are for people; the guide shows them. */
export const definitionSchema = z.object({
  name: z.string().trim().min(1).max(60).meta({ description: 'Unique among the definitions.' }),
  description: z.string().trim().min(1).meta({ description: 'When to use it. The agent that delegates reads this.' }),
  prompt: z.string().optional().meta({ description: 'Its role. In Markdown, the text below the front matter.' }),
  system_prompt: z.string().optional().meta({ description: 'Another name for `prompt`.' }),
  mode: z
    .enum(['handoff', 'tool'])
    .default('handoff')
    .meta({ description: '`handoff`: its own loop, tools and branch. `tool`: one reply without tools.' }),
  context_scope: z.enum(['strict', 'scoped', 'off']).nullable().default(null).meta({
    description: "How much of its parent's conversation it sees. Null leaves that to the settings.",
  }),
  include_state_summary: z.boolean().nullable().default(null).meta({
    description: 'Whether its task ends with a summary of plan and changed files. Null: only in `scoped`.',
  }),
  tools: z
    .union([list, z.record(z.string(), z.boolean())])
    .nullable()
    .default(null)
    .meta({
      description:
        'Its tools, by their names here or in other programs: a list, or one text with commas. Null gives all of them. An object of names with true or false gives all but the false ones.',
    }),
  disallowedTools: list.nullable().default(null).meta({ description: 'Names of tools that it does not get.' }),
  model: z.string().min(1).nullable().default(null).meta({
    description:
      'Null, `inherit` or `default` for the model of the agent that starts it. `sonnet`, `opus` and `haiku` mean the newest such model of its profile; where it has none, the agent’s that starts it. Beside `acp` it is one of that agent’s own models, and null leaves that to it.',
  }),
  permissionMode: z.string().optional().meta({
    description: '`plan`: it changes nothing. Any other value of Claude Code is not used.',
  }),
  effort: z.enum(efforts).nullable().default(null).meta({
    description: 'How long its model thinks. Null for as its thread and the settings say.',
  }),
  thinking: z.boolean().nullable().default(null).meta({
    description: "False for a model that thinks only when it is asked to. Null for the model's own default.",
  }),
  interrupt_on: z.record(z.string(), interruptSetting).default({}).meta({
    description: 'Tools that ask, as in the settings, which it overrides. Of a project, only what asks more counts.',
  }),
  command: z.string().min(1).optional().meta({
    description:
      'A command that answers in place of a model. It reads one line of JSON (`task`, `context`) and writes lines, the last of them with `result` or `error`. Only in your own definitions.',
  }),
  acp: z.string().min(1).max(2_000).optional().meta({
    description:
      'A command that speaks the Agent Client Protocol on its standard streams and answers in place of a model, such as `opencode acp`. It works in a view of its branch. Only in your own definitions.',
  }),
  acp_mode: z.string().min(1).max(200).nullable().default(null).meta({
    description:
      'In which of its own modes `acp` works, such as an agent of OpenCode. Null for the one in which it asks. In *Plan* it always plans.',
  }),
  hosts: z.array(z.string().regex(grantableHost)).max(50).default([]).meta({
    description: 'Hosts that `command` or `acp` may reach from the sandbox.',
  }),
  home: z.array(homePath).max(50).default([]).meta({
    description:
      'Files and folders of your home that `acp` finds in its own home and may change, such as `~/.claude`: its login is there.',
  }),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().max(10_000))
    .default({})
    .meta({
      description: 'Variables of the environment of `acp`.',
    }),
  local_ports: z.array(z.int().min(1).max(65_535)).max(50).default([]).meta({
    description: 'Ports of this machine that `acp` reaches as `localhost`, such as that of a model server.',
  }),
  url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .meta({
      description: 'A server that answers in place of a model, in the same form. Only in your own definitions.',
    }),
  fork: z.boolean().default(false).meta({
    description:
      "True for an agent that continues its parent's conversation with its parent's prompt, tools and model, so that the provider's cache serves the beginning of its requests. It has none of its own then.",
  }),
  input_filter: z.enum(inputFilters).nullable().default(null).meta({
    description: "Which part of its parent's conversation it sees. Wins over `context_scope`.",
  }),
  output_filter: z.enum(outputFilters).default('last_message').meta({
    description: 'Which part of its own conversation its parent reads as the result.',
  }),
  goal: goalSetting.nullable().default(null).meta({
    description:
      'What it must reach before it is done, as in the settings. Nobody is asked for a subagent: after its attempts it fails, and its parent reads why.',
  }),
  answer_schema: answerSchema.nullable().default(null).meta({
    description:
      'The JSON Schema of its answer. An answer that does not fit is asked for once more; then it fails. Its parent reads the JSON.',
  }),
  ...z.object(tuningShape).partial().shape,
})

/**
 * The names in a text, between commas or blanks. Those in brackets say what a tool may do: `Bash(git add:*, git status)`.
 * A YAML list is cut at them as well, so its parts are joined before.
 */
export function splitNames(text: string): string[] {
  const names = ['']
  let depth = 0
  for (const sign of text.replace(/\s+\(/g, '(')) {
    if (sign === '(') depth += 1
    if (sign === ')') depth -= 1
    if (depth <= 0 && /[\s,]/.test(sign)) names.push('')
    else names[names.length - 1] += sign
  }
  return names.map((name) => name.replace(/^(["'])(.*)\1$/, '$2')).filter(Boolean)
}

/** Values of other tools under keys of ours, and what they mean here. Undefined for nothing. */
function foreignValue(key: string, value: unknown): { readonly meant?: string } | undefined {
  if (typeof value !== 'string') return undefined
  // OpenCode says whether a person may talk to it, and Copilot which of its tools it has.
  if (key === 'mode') return /^(subagent|primary|all|agent|ask|edit)$/.test(value) ? {} : undefined
  // An id has no blanks: `Claude Sonnet 4.5 (copilot)`, or a list of them. Cursor and Copilot choose by these words.
  if (
    key !== 'model' ||
    modelFamily(value) !== null ||
    !(/[\s,[\]]/.test(value.trim()) || /^(fast|auto)?$/i.test(value.trim()))
  )
    return undefined
  const family = value.split(/[^a-z]+/i).find((word) => modelFamily(word) !== null)
  return family === undefined ? {} : { meant: family.toLowerCase() }
}

/** The keys that count, and those that do not: keys and values that only other tools understand. */
function withoutForeign(given: unknown): { readonly own: unknown; readonly foreign: readonly string[] } {
  if (!isRecord(given)) return { own: given, foreign: [] }
  // An external agent names its models as it likes.
  const isOwn = (key: string) => key === 'model' && 'acp' in given
  const read = Object.entries(given).map(([key, value]) => {
    return { key, value, other: isOwn(key) ? undefined : foreignValue(key, value) }
  })
  return {
    own: Object.fromEntries(
      read.flatMap(({ key, value, other }) =>
        other === undefined ? [[key, value]] : other.meant === undefined ? [] : [[key, other.meant]],
      ),
    ),
    foreign: read.flatMap(({ key, value, other }) =>
      other && other.meant === undefined ? [`${key}: ${String(value)}`] : [],
    ),
  }
}

/** The main agent is no subagent. `general-purpose` may be defined anew. */
const reserved = 'main'

/** Builds one definition from its keys, or returns the first problem. */
function agentFrom(
  written: unknown,
  source: string,
  body: string | null,
  line: number | null,
  origin: FoundAgent['origin'],
): FoundAgent | ExtensionProblem {
  const { own: given, foreign } = withoutForeign(written)
  const parsed = definitionSchema.safeParse(given)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const message = `${issue?.path.join('.') || 'It'}: ${issue?.message}`
    const gate = isRecord(given) && ('interrupt_on' in given || 'middleware' in given)
    return { file: source, line, message, ...(gate && { gate }) }
  }
  if (parsed.data.name === reserved)
    return { file: source, line, message: `name: ${parsed.data.name} is built in. Choose another name.` }
  if (parsed.data.acp !== undefined && parsed.data.name.includes('/'))
    return {
      file: source,
      line,
      message: `name: ${parsed.data.name} has a slash, behind which stands which of its models an external agent uses. Choose another name.`,
    }
  const programs = programKeys.filter((key) => parsed.data[key] !== undefined)
  if (programs.length > 1)
    return { file: source, line, message: `${programs.join(' and ')}: only one of them can answer. Remove the others.` }
  const beginning = parsed.data.fork ? ownBeginning(given, body) : undefined
  if (beginning !== undefined)
    return {
      file: source,
      line,
      message: `fork: it begins as its parent does, so it cannot have ${beginning} of its own. Remove one of the two.`,
    }
  const { description, mode, context_scope, include_state_summary, model, interrupt_on } = parsed.data
  const isPlan = parsed.data.permissionMode === 'plan'
  const unused = isRecord(given) ? Object.keys(given).filter((key) => !Object.hasOwn(definitionSchema.shape, key)) : []
  const tuning = tuningFrom(parsed.data)
  return {
    name: oneLine(parsed.data.name),
    description,
    prompt: parsed.data.prompt ?? parsed.data.system_prompt ?? (withoutComments(body ?? '').trim() || null),
    mode,
    contextScope: context_scope,
    includeStateSummary: include_state_summary,
    ...toolsOf(parsed.data),
    model: parsed.data.acp === undefined ? modelMeant(model) : agentModel(oneLine(parsed.data.name), modelMeant(model)),
    interruptOn: new Map(Object.entries(interrupt_on)),
    origin,
    program: programOf(parsed.data),
    tuning: isPlan ? { ...tuning, stages: [planStage, ...tuning.stages] } : tuning,
    inputFilter: parsed.data.input_filter,
    outputFilter: parsed.data.output_filter,
    goal: goalFrom(parsed.data.goal),
    answerSchema: parsed.data.answer_schema,
    forks: parsed.data.fork,
    effort: parsed.data.effort,
    thinking: parsed.data.thinking,
    source,
    unknownKeys: [
      ...unused,
      ...foreign,
      ...(parsed.data.permissionMode === undefined || isPlan ? [] : ['permissionMode']),
    ],
  }
}

/** What answers in place of a model. */
const programKeys = ['acp', 'command', 'url'] as const

/** What changes how the requests of an agent begin. */
const beginnings = [
  ...(['prompt', 'system_prompt', 'tools', 'disallowedTools', 'model', ...programKeys, 'context_scope'] as const),
  ...(['input_filter', 'include_state_summary', 'instructions', 'examples', 'final_instructions'] as const),
  'custom_tool_descriptions',
]

/** The first key of a definition that a fork cannot have beside its parent's. Undefined for none. */
function ownBeginning(given: unknown, body: string | null): string | undefined {
  const keys = isRecord(given) ? beginnings.filter((key) => (given[key] ?? null) !== null) : []
  if (isRecord(given) && given.mode === 'tool') return 'mode'
  return keys[0] ?? (withoutComments(body ?? '').trim() === '' ? undefined : 'a prompt')
}

function modelMeant(model: string | null): string | null {
  return model === 'inherit' || model === 'default' ? null : model
}

const planStage = { name: 'approvals', enabled: null, tokens: null, share: null, mode: 'plan' } as const

type Definition = z.infer<typeof definitionSchema>

/** The tools that a definition gives and takes. */
function toolsOf({ tools, disallowedTools }: Definition): Pick<FoundAgent, 'tools' | 'withoutTools'> {
  const isMap = tools !== null && !Array.isArray(tools)
  const refused = isMap ? Object.keys(tools).filter((name) => tools[name] === false) : []
  const given = Array.isArray(tools) ? tools : null
  return {
    // Claude's files may say "*" for the default.
    tools: given === null || given.includes('*') ? null : given.filter(Boolean).map(definedToolName),
    withoutTools: [...refused, ...(disallowedTools ?? [])].filter(Boolean).map(definedToolName),
  }
}

function programOf(definition: z.infer<typeof definitionSchema>): AgentProgram | null {
  const { acp, acp_mode, command, url, hosts, home, env, local_ports: localPorts } = definition
  if (acp !== undefined) {
    const grants = { program: acp, localPorts, home: home.map((path) => path.slice(2)), variables: env }
    return { kind: 'acp', command: acp, mode: acp_mode, hosts, grants }
  }
  if (command !== undefined) return { kind: 'command', command, hosts }
  return url === undefined ? null : { kind: 'url', url }
}

export function agentsIn(given: readonly unknown[], source: string): Agents {
  return splitProblems(given.map((one) => agentFrom(one, source, null, null, 'user')))
}

const agentFolders = ['.coppice/agents', '.claude/agents']

/** The agents of all folders of a project, those of the first one first. They can be stricter than the user's settings, never looser. */
export async function projectAgents(files: ProjectFiles): Promise<Agents> {
  const roots = [rootPath, ...(files.base.roots?.() ?? [])]
  const each = await Promise.all(roots.map((root) => agentsOf(files, root)))
  return { agents: each.flatMap(({ agents }) => agents), problems: each.flatMap(({ problems }) => problems) }
}

async function agentsOf(files: ProjectFiles, root: VirtualPath): Promise<Agents> {
  const folders = agentFolders.map((folder) => joinPath(root, folder))
  const names = (await Promise.all(folders.map((folder) => namesIn(files, folder)))).flat()
  const found = names.filter((file) => nameOf(file).endsWith('.md'))
  const markdown = await Promise.all(
    found.slice(0, mostDefinitions).map(async (file) => {
      const read = await readProjectText(files, file)
      return read === undefined ? [] : [agentInMarkdown(file, read.text), ...cutProblems(file, read)]
    }),
  )
  const { agents, problems } = splitProblems([
    ...(await agentsInYaml(files, joinPath(root, '.coppice/agents.yaml'))),
    ...markdown.flat(),
    ...tooMany(found),
  ])
  const programs = agents.filter(({ program, tuning }) => program !== null || tuning.programs.length > 0)
  return {
    agents: agents.filter(({ program }) => program === null).map(keepStrictSettings),
    problems: [...problems, ...programs.map(programProblem)],
  }
}

/** A problem of a file of which only the beginning is read. */
function cutProblems(file: VirtualPath, { isCut }: ProjectText): readonly ExtensionProblem[] {
  return isCut
    ? [{ file, line: null, message: `Only its first ${mostBytes / 1024} KB are read. Make it shorter.` }]
    : []
}

/** A program of a project would run as the user does, with nobody asked. */
function programProblem({ name, source }: FoundAgent): ExtensionProblem {
  const message = `${name}: only a definition in your own settings may name a command, an external agent, a URL or a program as a stage. Copy it there to use it.`
  return { file: source, line: null, message }
}

function agentInMarkdown(file: VirtualPath, text: string): FoundAgent | ExtensionProblem {
  const read = readFrontMatter(file, text)
  if ('message' in read) return read
  // Other tools name an agent by its file.
  const name = nameOf(file).replace(/(\.agent)?\.md$/i, '')
  return agentFrom({ name, ...withoutNull(read.data) }, file, read.body, 2, 'project')
}

/** A key without a value, such as `name:`, is one that is not there. */
function withoutNull(data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null))
}

async function agentsInYaml(
  files: ProjectFiles,
  agentsFile: VirtualPath,
): Promise<readonly (FoundAgent | ExtensionProblem)[]> {
  const found = await readProjectText(files, agentsFile)
  if (found === undefined) return []
  const { text } = found
  const cut = cutProblems(agentsFile, found)
  if (cut.length > 0) return cut
  const read = readYaml(agentsFile, text)
  if ('message' in read) return [read]
  const given = isRecord(read.value) ? read.value.subagents : undefined
  if (!Array.isArray(given)) return [{ file: agentsFile, line: 1, message: 'It needs a list named "subagents".' }]
  const lines = linesOfDefinitions(text)
  return given.map((one: unknown, index) => agentFrom(one, agentsFile, null, lines[index] ?? null, 'project'))
}

/** The 1-based line at which each definition of the list begins. Null when it is not known. */
function linesOfDefinitions(text: string): readonly (number | null)[] {
  const lines = new LineCounter()
  const list = parseDocument(text, { lineCounter: lines }).get('subagents', true)
  if (!isSeq(list)) return []
  return list.items.map((item) => (isNode(item) && item.range ? lines.linePos(item.range[0]).line : null))
}

/** A project may make a tool ask, but may not take answers from the person who is asked. */
function keepStrictSettings(agent: FoundAgent): FoundAgent {
  const asking = [...agent.interruptOn].flatMap(([name, setting]): [string, InterruptSetting][] => {
    if (setting === false) return []
    if (setting === true || setting.when === undefined) return [[name, true]]
    return [[name, { allowed_decisions: ['approve', 'edit', 'reject'], when: setting.when }]]
  })
  return { ...agent, interruptOn: new Map(asking), tuning: narrowTuning(agent.tuning) }
}

/** A project may not switch approvals off nor anything else on, and may not start programs. */
function narrowTuning(tuning: AgentTuning): AgentTuning {
  return {
    ...tuning,
    stages: tuning.stages.map((stage) => ({
      ...stage,
      enabled: stage.name !== 'approvals' && stage.enabled === false ? false : null,
    })),
    programs: [],
  }
}

function splitProblems(found: readonly (FoundAgent | ExtensionProblem)[]): Agents {
  return {
    agents: found.flatMap((one) => ('message' in one ? [] : [one])),
    problems: found.flatMap((one) => ('message' in one ? [one] : [])),
  }
}
