import { mergeSources } from '#core/commands/branches.ts'
import { readBranch, readThread } from '#core/journal/read-thread.ts'
import { branchScope, emptyTree, listChanges, type Tree } from '#overlay'
import type { Branch, FileChange } from '#shared/model/branch.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { mentionsIn } from '#shared/model/messages/mentions.ts'
import { lineEnds } from '#shared/model/messages/message-notes.ts'
import { everInFamily, rootThreadOf } from '#shared/model/project-state.ts'
import { answerOf, type ThreadState } from '#shared/model/thread.ts'
import { parseVirtualPath } from '#shared/model/virtual-path.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import { exportPatch } from '../changes/export-patch.ts'
import type { Project } from '../project/project.ts'
import { type ReadInput, safeName } from './read-input.ts'

/** The most of each kind that a message takes along. */
const most = { mentions: 10, files: 1_000, characters: 200_000, quotedLines: 40, quotedCharacters: 200 } as const

/**
 * Reads what a message names with `@`, besides files, which agents read themselves: a folder gives its files, a branch
 * its changes, an agent its last report, a memory its text, and `@diff` the patch of the workspace. A word that names
 * nothing stays a word. `threadId` is null for a new thread.
 */
export async function readMentions(
  project: Project,
  threadId: ThreadId | null,
  text: string,
): Promise<readonly ReadInput[]> {
  const named = mentionsIn(text).slice(0, most.mentions)
  const read = await Promise.all(named.map((mention) => readMention(project, threadId, mention)))
  return read.filter((input) => input !== null)
}

type Mention = ReturnType<typeof mentionsIn>[number]

async function readMention(
  project: Project,
  threadId: ThreadId | null,
  { kind, name }: Mention,
): Promise<ReadInput | null> {
  switch (kind) {
    case 'diff':
      return workspacePatch(project, threadId)
    case 'memory':
      return memoryText(project, name)
    case 'branch':
      return branchChanges(project, threadId, name)
    case 'agent':
      return agentReport(project, threadId, name)
    // Only a person's own words name one: `read-resources.ts`.
    case 'resource':
      return null
    case 'folder':
      return folderFiles(project, threadId, name)
  }
}

function memoryText({ services }: Project, name: string): ReadInput | null {
  const { memories } = services.log.state
  const memory = memories.get(name) ?? memories.get(`/${name}`)
  return memory?.text ? mentionedText(`memory-${name}`, 'a memory of the project', memory.text) : null
}

/** The subagents of the conversation, newest last; of all loaded conversations for a new thread. */
function subagentsOf({ services }: Project, threadId: ThreadId | null): readonly ThreadState[] {
  const { log } = services
  if (threadId !== null) log.load([threadId])
  const { state } = log
  const family = threadId === null ? null : everInFamily(state, rootThreadOf(state, threadId))
  return [...state.threads.values()].filter(({ id, parent }) => parent !== null && (family?.has(id) ?? true))
}

/** By handle, by the name of the agent, or by the name of the branch. The newest counts when several have the name. */
function subagentNamed(project: Project, threadId: ThreadId | null, name: string): ThreadState | undefined {
  const { log } = project.services
  const agents = subagentsOf(project, threadId)
  return (
    agents.findLast(({ parent }) => parent?.handle === name) ??
    agents.findLast(({ agent }) => agent === name) ??
    agents.findLast(({ branchId }) => readBranch(log, branchId)?.name === name)
  )
}

function agentReport(project: Project, threadId: ThreadId | null, name: string): ReadInput | null {
  const agent = subagentNamed(project, threadId, name)
  if (!agent?.parent) return null
  const { handle, task } = agent.parent
  const report = answerOf(agent) || '(It has said nothing yet.)'
  const text = `Agent: ${agent.agent} (${handle})\nStatus: ${agent.status}\nTask: ${task}\n\nLast report:\n${report}\n`
  return mentionedText(`report-${agent.agent}.md`, `the last report of the agent ${agent.agent}`, text)
}

async function branchChanges(project: Project, threadId: ThreadId | null, name: string): Promise<ReadInput | null> {
  const { services } = project
  const agent = subagentNamed(project, threadId, name)
  const branch = agent && readBranch(services.log, agent.branchId)
  if (!agent?.parent || !branch) return null
  const sources = mergeSources(services, branch)
  const { fork, theirs } = sources
  const changes = await listChanges({ ...sources, from: fork, to: theirs })
  const text = `${branchHead(branch, agent)}\n\n${changes.length} changed files since its fork:\n${changes.map(changeLine).join('\n')}\n`
  return mentionedText(`branch-${branch.name}.txt`, `what the branch ${branch.name} changed`, text)
}

function branchHead({ name, handle, status, merges }: Branch, agent: ThreadState): string {
  const merged = merges.filter(({ undone }) => !undone).length
  return `Branch: ${name} (${handle})\nStatus: ${status}, ${merged} merges into its parent\nAgent: ${agent.status}\nTask: ${agent.parent?.task}`
}

function changeLine({ kind, path, from, added, removed }: FileChange): string {
  const lines = added === null ? 'binary or too large' : `+${added} -${removed ?? 0}`
  return `- ${kind} ${from ? `${from} -> ` : ''}${path} (${lines})`
}

/** The files of the thread's workspace as changes over the base. */
export function workspaceTree({ services }: Project, threadId: ThreadId | null): Tree {
  const { log } = services
  const root = threadId === null ? undefined : readThread(log, log.rootOf(threadId) ?? threadId)
  return (root && log.trees.heads.get(root.branchId)) ?? emptyTree
}

async function workspacePatch(project: Project, threadId: ThreadId | null): Promise<ReadInput | null> {
  const { bytes, files } = await exportPatch(project, workspaceTree(project, threadId), null)
  if (files === 0) return null
  return mentionedText('workspace.patch', `the patch of the workspace, ${files} files`, new TextDecoder().decode(bytes))
}

async function folderFiles(project: Project, threadId: ThreadId | null, name: string): Promise<ReadInput | null> {
  const folder = parseVirtualPath(`/${name.replace(/\/$/, '')}`)
  if (!folder.ok) return null
  const { search, blobs } = project.services
  const scope = branchScope(workspaceTree(project, threadId), blobs, folder.value, false)
  const found = await search.files([], scope, new AbortController().signal).catch(() => [])
  if (found.length === 0) return null
  const left = found.length - most.files
  const lines = [...found].sort().slice(0, most.files)
  const text = [...lines, ...(left > 0 ? [`(and ${left} more)`] : [])].join('\n')
  return mentionedText(`folder${folder.value}.txt`, `the ${found.length} files below ${folder.value}`, `${text}\n`)
}

/** A text that a message names, in bounds. `about` loses what would end the sentence that it becomes part of. */
export function mentionedText(name: string, about: string, whole: string): ReadInput {
  const left = whole.length - most.characters
  const text = left > 0 ? `${beginningOf(whole, most.characters)}\n(${left} more characters)\n` : whole
  const plain = about.replaceAll(/[()\p{Cc}]+/gu, ' ')
  return { kind: 'text', file: safeName(name.replaceAll('/', '-')), text, about: plain, detail: quote(text) }
}

/** The beginning, line by line after a mark that no line can leave out, so that it reads as data. */
function quote(text: string): string {
  const lines = text.trimEnd().split(lineEnds)
  const shown = lines.slice(0, most.quotedLines).map((line) => `> ${beginningOf(line, most.quotedCharacters)}`)
  const left = lines.length - shown.length
  return ['It begins:', ...shown, ...(left > 0 ? [`(${left} more lines in the file)`] : [])].join('\n')
}
