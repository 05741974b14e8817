import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import {
  discardBranch,
  findBranch,
  finishedBranches,
  mergeBranch,
  mergeReadyBranches,
  restoreBranch,
} from '#core/commands/branches.ts'
import { changeBranch, findHead } from '#core/commands/changes.ts'
import { forkThread, rewindThread } from '#core/commands/rewind.ts'
import { archiveThread, deleteThread, pinThread, renameThread, restoreThread } from '#core/commands/threads.ts'
import { undoEntry } from '#core/commands/undo.ts'
import { appendTo } from '#core/journal/project-log.testkit.ts'
import type { LogReader, ProjectLog } from '#core/journal/project-log.ts'
import { pastBranches, treeAt } from '#core/journal/rewind.ts'
import { eventually } from '#core/ports/eventually.testkit.ts'
import { treeHash } from '#overlay'
import { checkpointRows } from '#shared/model/derived/checkpoints.ts'
import type { EntryDraft } from '#shared/model/entry.ts'
import { parentOf, replied, said, threadCreated } from '#shared/model/entry-bodies.testkit.ts'
import type { BranchId, MessageId, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { applyThread, checkApply } from '../changes/apply.ts'
import { checkAnswer, examineAnswer } from '../headless/answer-schema.ts'
import { endProcesses } from '../headless/end-processes.ts'
import { requireChecks } from '../headless/require-checks.ts'
import { findFailures } from '../headless/run-facts.ts'
import { reportWhenQuiet } from '../headless/run-report.ts'
import {
  beginTask,
  chooseMode,
  decideAutomatically,
  modelOfThread,
  resumeTask,
  threadPatch,
} from '../headless/run-task.ts'
import { readMentions } from '../inputs/read-mentions.ts'
import { storeInputs } from '../inputs/store-inputs.ts'
import type { Project } from '../project/project.ts'
import { exportRecord } from '../records/record-thread.ts'
import { callSubject, effectsProposals } from '../settings/rules.ts'
import { previewRewind } from '../threads/rewind-preview.ts'
import { findJournal, findThread } from '../threads/stored-threads.ts'
import { journalLines, transcriptOf } from '../threads/transcript.ts'
import type { Host } from '../wiring/create-host.ts'
import { openTestHost } from './test-host.testkit.ts'

const [root, sub, other] = ['aaaa-root', 'aaaa-sub', 'padding'] as ThreadId[] as [ThreadId, ThreadId, ThreadId]
const [workspace, own] = ['workspace', 'own'] as BranchId[] as [BranchId, BranchId]
const [path, ofSub] = ['/a.txt', '/b.txt'] as VirtualPath[] as [VirtualPath, VirtualPath]
const callId = 'call' as ToolCallId
const never = new AbortController().signal

const finished: EntryDraft = {
  ...{ type: 'tool.finished', threadId: root, callId, name: 'ls', durationMs: 1, reads: [] },
  result: { outcome: 'ok', content: [{ type: 'text', text: 'a.txt' }] },
}
const answered: EntryDraft = {
  ...{ type: 'message', threadId: root },
  message: {
    ...{ role: 'assistant', messageId: 'answer' as MessageId, stopReason: 'end_turn' },
    content: [{ type: 'text', text: '{}' }],
  },
}

/** Entries with which a journal is too long to be loaded whole. */
const padding = 4_100

interface Place {
  readonly host: Host
  readonly project: Project
  /** The checkpoint before the last message. */
  readonly to: number
  /** The merge of the subagent's branch. */
  readonly merged: number
}

/** Each way from outside to a thread, a branch, a call or a moment by its id that does not go through the router. */
const entrances: Readonly<Record<string, (place: Place) => unknown>> = {
  'run --thread: the model': ({ project }) => modelOfThread(project, root),
  'run --thread last': async ({ host }) => (await findThread(host, 'last')).thread.id,
  'a verb with the beginning of an id': async ({ host }) => (await findThread(host, 'aaaa-r')).thread.branchId,
  'a verb with the id of a subagent': async ({ host }) => (await findThread(host, sub)).thread.parent,
  'logs and completion': ({ host }) => [...findJournal(host.options.dataFolder, root).state().threads.keys()],
  'an id of nobody': ({ project }) => refusalOf(() => project.requireActive('nobody' as ThreadId)),
  'a thread, for a frontend': ({ project }) => project.requireActive(sub).title,
  'a family, for a frontend': ({ project }) => project.family(root).map(({ id, status }) => [id, status]),
  'the report of a run': ({ project }) => reportWhenQuiet(project, root),
  'the check of an answer': async ({ project }) => checkAnswer(project, await reportWhenQuiet(project, root), false),
  'the check of an answer in the window': ({ project }) => examineAnswer(project, root, 'words'),
  'ending processes': ({ project }) => endProcesses(project, root),
  'failures of agents': ({ project }) => findFailures(project, root),
  '--approve': ({ project }) => decideAutomatically(project, sub, 'all')[Symbol.dispose](),
  '--require-checks': ({ project }) => requireChecks(project, root, never),
  '--patch': async ({ project }) => new TextDecoder().decode((await threadPatch(project, root)).bytes),
  'export --transcript': ({ project }) => transcriptOf(project, root, 'json', true),
  'export --journal': ({ project }) => journalLines(project, root),
  'export --record': async ({ project }) =>
    (await exportRecord(project, sub, { version: '0', withSecrets: false })).text.replace(/"madeAt":"[^"]*"/, ''),
  'inputs of a subagent': ({ project }) => [
    storeInputs(project, sub, [{ kind: 'text', file: 'x.txt', text: 'x', about: 'a text', detail: '' }]),
    project.services.scratch.list(root).map(({ name }) => name),
  ],
  'a mention of the patch': ({ project }) => readMentions(project, root, '@diff'),
  'a mention of an agent': ({ project }) => readMentions(project, root, '@agent:s0 @branch:s0'),
  'a rule for a call': ({ project }) => callSubject(project.services, root, callId),
  'a rule for effects': ({ project }) => effectsProposals(project.services, root, callId),
  'a batch': ({ project }) => finishedBranches(project.services, { threadId: root, callId }),
  'the head of a branch': ({ project }) => hashOf(project, findHead(project.services, own)),
  'a branch at a moment': ({ project, to }) => {
    const tree = treeAt(project.services.log, workspace, to)
    return tree && treeHash(tree, project.services.hashing)
  },
  'branches at a moment': ({ project, to }) =>
    pastBranches(project.services.log, root, to).map(({ branch, past }) => [
      branch.id,
      treeHash(past, project.services.hashing),
    ]),
  'a rewind, previewed': ({ project, to }) => previewRewind(project, { threadId: root, to }),
  'checks of branches': ({ project }) => project.services.checks.ofBranches([own, workspace]),
  'an unknown check': ({ project }) =>
    project.services.checks.run(
      { ...{ branchId: own, tree: null, environmentOf: own, on: 'branch', again: false }, names: ['x'], by: 'person' },
      never,
    ),
  'a branch': ({ project }) => findBranch(project.services, own),
  'an undo by its moment': ({ project, merged }) => project.run(undoEntry(project.services, merged)),
  'a merge when green': async ({ project }) => {
    project.checks.queue.add([own])
    await eventually(() => expect(project.checks.queue.view()?.isRunning).toBe(false))
    return project.checks.queue.view()
  },
  'a merge': async ({ project }) =>
    project.run(
      await mergeBranch(project.services, { branchId: own, paths: null, force: false, strategy: 'three_way' }),
    ),
  'the merge of all': async ({ project }) =>
    project.run(await mergeReadyBranches(project.services, project.merges, [own])),
  'a discard': ({ project }) => project.run(discardBranch(project.services, { branchId: own, paths: null })),
  'a restore': ({ project }) => project.run(restoreBranch(project.services, own)),
  'a change by hand': ({ project }) => project.run(changeBranch(project.services, own, [])),
  'a name': ({ project }) => project.run(renameThread(project.services, root, 'Renamed')),
  'a pin': ({ project }) => project.run(pinThread(project.services, root, true)),
  'an archive': ({ project }) => project.run(archiveThread(project.services, root, true)),
  'a deletion': ({ project }) => project.run(deleteThread(project.services, root)),
  'a restored thread': ({ project }) => project.run(restoreThread(project.services, root)),
  'a mode': ({ project }) => chooseMode(project, root, 'plan'),
  'a copy': ({ project, to }) => project.run(forkThread(project.services, { threadId: root, to }, 'Copy')).sequence,
  'the plan of an apply': ({ project }) => checkApply(project, workspace, null),
  '--apply': ({ project }) => applyThread(project, root),
  'a rewind': ({ project, to }) =>
    project.run(rewindThread(project.services, { threadId: root, to, files: true, conversation: true, undoes: null })),
  'a page that resumes': async ({ project, to }) => {
    const stream = project.events.subscribe(to, AbortSignal.timeout(10_000))
    const { value } = await stream.next()
    await stream.return()
    return value?.map(({ type }) => type)
  },
  'resume with a decision about nothing': ({ project }) =>
    refusalOf(() => resumeTask(project, root, [{ callId: 'unknown' as ToolCallId, type: 'approve' }], { step: false })),
  resume: async ({ project }) => {
    resumeTask(project, root, [], { step: false })
    await project.runtime.halt(root)
  },
  'a message': async ({ project }) => {
    project.runtime.send(root, [{ type: 'text', text: 'go on' }], 'queue')
    await project.runtime.halt(root)
  },
  'run --thread': async ({ project }) => {
    const options = {
      ...{ step: false, threadId: root, task: 'again', model: 'demo', effort: undefined },
      approvalMode: 'auto',
      mode: 'auto-edit',
      ...{ agentType: 'main', input: undefined, outputSchema: undefined },
    } as const
    const begun = beginTask(project, options)
    await project.runtime.halt(begun)
    return begun
  },
}

function refusalOf(act: () => unknown): unknown {
  try {
    return act()
  } catch (error) {
    return String(error)
  }
}

function hashOf({ services }: Project, found: ReturnType<typeof findHead>): unknown {
  return found.ok ? treeHash(found.value, services.hashing) : String(found.error)
}

/** What every entrance says, one after the other. `before` runs before each of them. */
async function walk(
  place: Place,
  before: (log: ProjectLog, name: string) => void,
): Promise<ReadonlyMap<string, string>> {
  const said = new Map<string, string>()
  for (const [name, enter] of Object.entries(entrances)) {
    before(place.project.services.log as LogReader as ProjectLog, name)
    const answer = await Promise.resolve()
      .then(() => enter(place))
      .catch((error: unknown) => `throws ${String(error)}`)
    said.set(name, withoutChance(answer))
  }
  return said
}

/** An answer without times and random ids. */
function withoutChance(answer: unknown): string {
  const text = JSON.stringify(answer) ?? 'nothing'
  return text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID').replaceAll(/"(at|updatedAt)":\d+/g, '')
}

let loaded: ReadonlyMap<string, string>
let unloaded: ReadonlyMap<string, string>

beforeAll(async () => {
  const above = mkdtempSync(join(tmpdir(), 'coppice-unloaded-'))
  const [folder, first, second] = ['folder', 'first', 'second'].map((name) => join(above, name)) as [
    string,
    string,
    string,
  ]
  mkdirSync(folder)
  const place = await makeProject(first, folder)
  await cp(first, second, { recursive: true })
  loaded = await walkIn(first, folder, place, (log) => log.load([root]))
  for (const file of readdirSync(folder)) rmSync(join(folder, file))
  unloaded = await walkIn(second, folder, place, (log, name) => {
    log.release(Number.POSITIVE_INFINITY)
    expect(log.state.threads.has(root), name).toBe(false)
  })
}, 60_000)

async function walkIn(
  data: string,
  folder: string,
  at: Pick<Place, 'to' | 'merged'>,
  before: (log: ProjectLog, name: string) => void,
): Promise<ReadonlyMap<string, string>> {
  await using host = await openTestHost(data)
  return await walk({ host, project: await host.projects.open(folder), ...at }, before)
}

/** A project with a finished thread of two agents, in a journal that is too long to be loaded whole. */
async function makeProject(data: string, folder: string): Promise<Pick<Place, 'to' | 'merged'>> {
  await using host = await openTestHost(data)
  const project = await host.projects.open(folder)
  const { services } = project
  const node = (text: string) => {
    const bytes = new TextEncoder().encode(text)
    return { kind: 'file', blob: services.blobs.put(bytes), size: bytes.length, executable: false } as const
  }
  const fork = (threadId: ThreadId, branchId: BranchId, parentId: BranchId | null, name: string) =>
    ({
      type: 'branch.forked',
      ...{ threadId, branchId, parentId, ownerThreadId: threadId, name },
      handle: parentId === null ? null : parentOf(root, 's0').handle,
    }) as const
  const edit = (threadId: ThreadId, branchId: BranchId, file: VirtualPath, text: string) =>
    ({
      type: 'tree.changed',
      ...{ threadId, branchId, callId: null },
      patch: [[file, [null, { node: node(text), pin: null }]]],
    }) as const
  const ended = { type: 'run.ended', status: 'done', reason: 'completed', message: '' } as const
  appendTo(services.log, [
    { threadId: root, ...threadCreated(workspace, { title: 'Root', answerSchema: { type: 'object' } }) },
    fork(root, workspace, null, 'Workspace'),
    { threadId: root, ...said('first') },
    { threadId: root, type: 'run.started' },
    edit(root, workspace, path, 'a'),
    { threadId: root, ...replied('reply', 'ls', [callId]) },
    finished,
    answered,
    { threadId: root, type: 'checkpoint', step: 0, treeHash: 't' },
    { threadId: sub, ...threadCreated(own, { parent: parentOf(root, 's0'), depth: 1, title: 'Sub' }) },
    fork(sub, own, workspace, 'Own'),
    { threadId: sub, type: 'run.started' },
    edit(sub, own, ofSub, 'b'),
    { threadId: sub, ...ended, status: 'failed', message: 'It failed.' },
    { threadId: root, ...said('second') },
    { threadId: root, ...ended },
  ])
  const merge = { branchId: own, paths: null, force: false, strategy: 'three_way' } as const
  const { sequence } = project.run(await mergeBranch(services, merge))
  const named = Array.from(
    { length: padding },
    (_, index): EntryDraft => ({ type: 'thread.titled', threadId: other, title: `T${index}` }),
  )
  appendTo(services.log, [{ threadId: other, ...threadCreated('others' as BranchId) }, ...named])
  const past = services.log.state.past.threads.get(root)
  return { to: (past && checkpointRows(past)[0]?.to) ?? 0, merged: sequence ?? 0 }
}

it.each(Object.keys(entrances))('%s says the same of a thread that is not loaded', (name) => {
  expect(unloaded.get(name)).toBe(loaded.get(name))
})
