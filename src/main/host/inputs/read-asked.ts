import { priceProblem } from '#core/agent/delegation/budgets.ts'
import type { AgentServices } from '#core/agent/types/services.ts'
import { McpError } from '#core/ports/mcp-client.ts'
import type { Skill } from '#core/prompts/appendices.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { CommandUse } from '#shared/model/message.ts'
import { formatCommandNote, formatSkillNote, slashNameIn } from '#shared/model/messages/message-notes.ts'
import { agentIn } from '#shared/model/models/agent-model.ts'
import { modelFamily } from '#shared/model/models/model-family.ts'
import { expandCommand, wordsOf } from '../extensions/expand-command.ts'
import type { RunLimits } from '../extensions/run-limits.ts'
import { findSlash, type SlashEntry } from '../extensions/slash-list.ts'
import type { Project } from '../project/project.ts'
import { namedFiles } from './named-files.ts'
import type { ReadInput } from './read-input.ts'
import { readMentions, workspaceTree } from './read-mentions.ts'

/** What a word after the slash at the beginning of a message asks for. */
export interface Asked {
  /** What it means. Null for a message without such a word, and for one that nobody defines. */
  readonly entry: SlashEntry | null
  /** What follows the person's text for the agent; empty for nothing. */
  readonly note: string
  /** What the command names with `@`, besides files. */
  readonly inputs: readonly ReadInput[]
  /** What is said about the run. Undefined for nothing. */
  readonly command: CommandUse | undefined
  /** What is not as the definition says, in sentences for a person. */
  readonly warnings: readonly string[]
}

const nothing: Asked = { entry: null, note: '', inputs: [], command: undefined, warnings: [] }

/** The thread that a message is for. */
export interface AskedThread {
  /** Null for a new one. */
  readonly threadId: ThreadId | null
  /** The full name of the model that it has, or will have. */
  readonly model: string
}

/**
 * Finds what a message begins with, such as `/review the diff`, and fills in its words. Throws a refusal when a server does
 * not give its prompt, and for a command that gets too long.
 */
export async function readAsked(project: Project, { threadId, model: own }: AskedThread, text: string): Promise<Asked> {
  const word = slashNameIn(text)
  // The agent reads its own commands as they are, whatever else has their names.
  const isAgents = word !== null && agentCommands(project.services, own).some(({ name }) => name === word)
  const entry = word === null || isAgents ? undefined : await findEntry(project, word)
  if (word === null || entry === undefined) return nothing
  const given = text
    .trim()
    .slice(word.length + 1)
    .trim()
  const { model, warnings } = modelMeant(project.services, entry, own)
  const { allowedTools, effort } = entry
  const isLimited = allowedTools !== null || model !== null || effort !== null
  const asked = {
    ...nothing,
    entry,
    warnings,
    command: isLimited ? { name: word, allowedTools, model, effort } : undefined,
  }
  const say = (said: string): string => formatCommandNote({ name: word, source: entry.source, text: said })
  const { what } = entry
  switch (what.kind) {
    case 'skill':
      return { ...asked, note: await skillNote(project, threadId, what.name) }
    case 'prompt':
      return { ...asked, note: say(await promptText(project, what, given)) }
    case 'command': {
      const expanded = expandCommand(what.body, given)
      if (expanded === null)
        throw new WireError('REFUSED', `/${word} with these words is too long for a message. Say less after its name.`)
      const { text: said, named } = expanded
      const files = await namedFiles(project, workspaceTree(project, threadId), named)
      const inputs = await readMentions(project, threadId, named.map((name) => `@${name}`).join(' '))
      return { ...asked, note: say(`${said}${files}`), inputs }
    }
  }
}

/** The commands of the external agent that a model names. Empty for a model. */
export function agentCommands({ agentModels }: Pick<AgentServices, 'agentModels'>, model: string) {
  const agent = agentIn(model)
  return agent === null ? [] : agentModels.commandsOf(agent)
}

/** Servers are connected only for what may be a prompt of theirs. */
async function findEntry({ extensions, mcp }: Project, word: string): Promise<SlashEntry | undefined> {
  const found = findSlash(await extensions.slash(), word)
  if (found !== undefined || !(word.startsWith('mcp__') || word.includes(':'))) return found
  await mcp.refresh()
  return findSlash(await extensions.slash(), word)
}

async function skillNote({ extensions, services }: Project, threadId: ThreadId | null, name: string): Promise<string> {
  const skill = (await extensions.reload()).skills.find((one) => one.name === name)
  if (skill === undefined) return ''
  // A thread has copies of the skills that there were when its last run began.
  if (threadId !== null) attach(services, services.log.rootOf(threadId) ?? threadId, skill)
  return formatSkillNote(skill)
}

function attach({ scratch }: Pick<AgentServices, 'scratch'>, root: ThreadId, { attached }: Skill): void {
  for (const { path, text } of attached()) scratch.write(root, path, new TextEncoder().encode(text))
}

/** Milliseconds in which a server must give its prompt. */
const promptMs = 30_000

async function promptText(
  { mcp }: Project,
  prompt: Parameters<Project['mcp']['promptText']>[0],
  given: string,
): Promise<string> {
  try {
    return await mcp.promptText(prompt, wordsOf(given), AbortSignal.timeout(promptMs))
  } catch (error) {
    if (!(error instanceof McpError) && !(error instanceof DOMException)) throw error
    throw new WireError('REFUSED', `The server ${prompt.server} did not give its prompt: ${error.message}`)
  }
}

/** The full name of the model that a definition means. Null for the thread's own, which an external agent always is. */
function modelMeant(
  services: Pick<AgentServices, 'resolveModel' | 'newestOf' | 'settings' | 'usualCost'>,
  { model, source }: Pick<RunLimits & SlashEntry, 'model' | 'source'>,
  ofThread: string,
): { readonly model: string | null; readonly warnings: readonly string[] } {
  if (model === null || agentIn(ofThread) !== null) return { model: null, warnings: [] }
  const family = modelFamily(model)
  const resolved = family === null ? services.resolveModel(model) : null
  const found = family === null ? (resolved?.ok ? resolved.value : null) : services.newestOf(family, ofThread)
  const isModel = found !== null && agentIn(found) === null
  const price = isModel ? priceProblem(services, found) : undefined
  if (isModel && price === undefined) return { model: found, warnings: [] }
  const why = price ?? (resolved !== null && !resolved.ok ? resolved.error : `There is no ${model} here.`)
  return { model: null, warnings: [`${source}: the thread’s own model answers. ${why}`] }
}
