import { eventIterator, oc, type } from '@orpc/contract'
import { z } from 'zod'
import type { FamilyEntries, JournalStart } from '../model/derived/outline.ts'
import { branchId, decision, goal, interruptId, jsonObject, threadId, toolCallId } from '../model/entry-parts.ts'
import type { ThreadId } from '../model/ids.ts'
import type { SettingReference, SettingsProblem } from '../model/settings.ts'
import { approvalModes } from '../model/thread.ts'
import { todoStatuses } from '../model/todos/todo.ts'
import { appCommands } from './app.ts'
import { branchAreas } from './branch-areas.ts'
import { changeCommands } from './changes.ts'
import { checkCommands } from './checks.ts'
import { deliveryCommands } from './deliveries.ts'
import { eventSchema } from './events.ts'
import { extensionCommands, hookCommands, importCommands, mcpCommands } from './extensions.ts'
import { modelCommands, modelOptions } from './models.ts'
import {
  branch,
  hunks,
  messageId,
  paths,
  projectId,
  queueEdit,
  todoEdit,
  typedText,
  virtualPath,
  wantedAttempts,
} from './primitives.ts'
import { processCommands } from './processes.ts'
import { notifyTarget, settingsUpdate } from './settings-update.ts'
import { setupCommands } from './setup.ts'
import { updateCommands } from './updates.ts'
import { usageCommands } from './usage.ts'
import type { ConnectionTest, OutsideChange } from './views/app.ts'
import type {
  BatchMerge,
  BranchComparison,
  BranchLines,
  BranchPatch,
  BranchReview,
  BranchSurvey,
  ConflictSides,
  MergeReceipt,
  ReadyMerge,
  RewindPreview,
} from './views/branches.ts'
import type { CallPreviewView, FileContent, FileDiff, FilePage, FileVersion } from './views/files.ts'
import type { UserMemoriesView } from './views/memories.ts'
import {
  type Freed,
  type OpeningProject,
  type ProjectFolders,
  type ProjectInfo,
  type StorageView,
  storageKinds,
} from './views/projects.ts'
import type { NotifyTest, RulePreview, RuleProposals, SettingsText, SettingsView } from './views/settings.ts'
import type {
  AnswerCheck,
  ContextView,
  InputCheck,
  MemoryTransfer,
  MessageSearch,
  PageExport,
  RecordExport,
  TerminalEvent,
} from './views/threads.ts'
import { windowDoor } from './window.ts'

const nothing = type<void>()
const project = z.object({ projectId })
const thread = project.extend({ threadId })
const storageKindList = z.array(z.enum(storageKinds)).min(1).max(storageKinds.length)
/**
 * The JSON Schema that the thread's answers must fit from now on. Null for answers in words, absent for no change.
 */
const outputSchema = jsonObject.nullable().optional()
const sequence = z.int().positive()
/** Pauses the run after every turn. A run that is going on keeps its own way. */
const step = z.boolean().default(false)
/**
 * A change of a memory. `latest` is the version that the person saw; the command fails as `CONFLICT` if there is a
 * newer one.
 */
const memory = project.extend({ name: z.string().min(1).max(4096), latest: sequence.nullable() })
const stored = type<{ readonly sequence: number | null }>()
const folder = project.extend({ folder: z.string().min(1).max(4096) })
/** A plan, named by its fingerprint, and the names from it to carry out. */
const transfer = folder.extend({
  names: z.array(z.string().min(1).max(4096)).min(1).max(2000),
  fingerprint: z.string().max(200),
})
/** A checkpoint of a thread, named by its entry. */
const checkpoint = thread.extend({ to: sequence })
/** A branch as it was after an entry. */
const branchState = z.object({ branchId, sequence })
const compared = project.extend({ from: branchState, to: branchState })
const branchIds = z.array(branchId).max(10_000)
/** The files that a branch sees; null for those of the folder. */
const fileView = project.extend({ branchId: branchId.nullable() })
const rules = z.array(z.string().trim().min(1).max(2000)).max(100)

const settingsText = z.string().max(2_000_000)

const cells = z.int().min(2).max(1000)
const terminal = project.extend({ terminalId: z.string().min(1).max(100) })

const image = z.object({
  type: z.literal('image'),
  mediaType: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
  data: z.base64().max(5_000_000),
})

/** A file that a person gives to an agent. Together, the files of a message may have 20 MB. */
const inputFile = z.object({ name: z.string().min(1).max(1000), data: z.base64().max(28_000_000) })

/**
 * The only door between renderer and host: commands go down, events come up. These schemas check inputs on arrival and
 * events on departure. Other outputs come from the trusted side, so they have types alone. `wire-errors.ts` lists the
 * refusals.
 */
export const contract = {
  app: appCommands,
  models: modelCommands,
  updates: updateCommands,
  window: windowDoor,
  projects: {
    open: oc.input(z.object({ path: z.string().min(1).max(4096) })).output(type<ProjectInfo>()),
    openDemo: oc.output(type<ProjectInfo>()),
    openScratch: oc.output(type<ProjectInfo>()),
    /** Opens a project that this machine has data of, after a reload of the window or a restart of the host. */
    reopen: oc.input(project).output(type<ProjectInfo>()),
    /** Projects that take a while to open, with how far they are. Ask again until there is none. */
    opening: oc.output(type<readonly OpeningProject[]>()),
    trust: oc.input(project.extend({ trusted: z.boolean() })).output(type<ProjectInfo>()),
    forget: oc.input(z.object({ path: z.string().max(4096) })).output(nothing),
    /** Puts the last backup of a damaged project in its place. Closes the project, so open it again afterwards. */
    restoreBackup: oc.input(project).output(nothing),
    folders: oc.input(project).output(type<ProjectFolders>()),
    /**
     * Gives the project another folder. Closes the project and opens it again, so it is refused while agents work. The name is
     * chosen when it is null.
     */
    addFolder: oc
      .input(
        project.extend({
          path: z.string().min(1).max(4096),
          name: z
            .string()
            .regex(/^[^/\\]+$/)
            .max(255)
            .nullable(),
          access: z.enum(['read', 'write']),
        }),
      )
      .output(nothing),
    /** Takes a folder away that is only read. Those that branches may change stay. Opens the project again. */
    removeFolder: oc.input(project.extend({ path: z.string().min(1).max(4096) })).output(nothing),
  },
  events: {
    /** How long the journal is. Of a long one also what a page shows before it reads the families that it needs. */
    outline: oc.input(project.extend({ threadId: threadId.nullable() })).output(type<JournalStart>()),
    /** Entries of the thread's family after a sequence, at most `limit`, and where the next ones begin. */
    family: oc
      .input(project.extend({ threadId, after: z.int().min(0), limit: z.int().min(1).max(10_000) }))
      .output(type<FamilyEntries>()),
    /**
     * Every entry after `after`, then everything as it happens, on one stream that never ends on its own. Pieces of a
     * reply that come within a few milliseconds are one event. With null, all of a short journal; the stream of a long
     * one ends at once, and the page reads its outline and asks again.
     */
    subscribe: oc
      .input(project.extend({ after: z.int().min(0).nullable() }))
      .output(eventIterator(z.array(eventSchema).readonly())),
    /** What changes on disk beside the journal, of the user and, unless it is null, of a project. Never ends on its own. */
    outside: oc.input(z.object({ projectId: projectId.nullable() })).output(eventIterator(type<OutsideChange>())),
  },
  threads: {
    /** Sends to `threadId`, or starts a thread when it is null. */
    send: oc
      .input(
        project.extend({
          threadId: threadId.nullable(),
          text: typedText,
          images: z.array(image).max(20).default([]),
          /** Stored below `/inputs/`. The message names each with its shape and size. */
          inputs: z.array(inputFile).max(20).default([]),
          delivery: z.enum(['queue', 'steer']).default('queue'),
          ...modelOptions,
          approvalMode: z.enum(approvalModes).optional(),
          outputSchema,
          step,
          /** Several agents try the message at once. Absent for a message that the agent answers. */
          attempts: wantedAttempts.optional(),
        }),
      )
      .output(type<{ readonly threadId: ThreadId }>()),
    /**
     * Reads a file as `send` would and stores nothing. Fails as `BAD_REQUEST` for a file that no agent could read.
     */
    checkInput: oc.input(inputFile).output(type<InputCheck>()),
    /** Fails as `BAD_REQUEST` for a schema that answers cannot be checked with. */
    checkOutputSchema: oc.input(z.object({ schema: jsonObject })).output(nothing),
    /** Whether a reply fits the schema of its thread. */
    checkAnswer: oc.input(thread.extend({ messageId })).output(type<AnswerCheck>()),
    stop: oc.input(thread).output(nothing),
    /** Resumes the thread after a pause, a stop, a failure or a restart. */
    continue: oc.input(thread.extend({ step })).output(nothing),
    configure: oc
      .input(
        thread.extend({
          ...modelOptions,
          approvalMode: z.enum(approvalModes).optional(),
          /** False hides the project's memory from the thread's agents. */
          memory: z.boolean().optional(),
          /** What it must reach before it is done; null for nothing. Absent for no change. */
          goal: goal.nullable().optional(),
          outputSchema,
        }),
      )
      .output(nothing),
    /** The next request to the model, by parts and word for word. Fails as `NOT_FOUND` before the first message. */
    context: oc.input(thread).output(type<ContextView>()),
    /** Changes a message of the person that waits. `deliver` also starts a run when none goes on. */
    editQueue: oc.input(thread.extend({ edit: queueEdit })).output(nothing),
    /** Summarises the older part of the conversation. `goOn` continues the work with the summary. */
    compact: oc.input(thread.extend({ goOn: z.boolean().default(false) })).output(nothing),
    /** The thread as a record, from which `coppice run --replay` runs it again. */
    exportRecord: oc.input(thread.extend({ withSecrets: z.boolean().default(false) })).output(type<RecordExport>()),
    /** The conversation with its subagents as one page that loads nothing. What looks like a secret is replaced. */
    exportPage: oc.input(thread).output(type<PageExport>()),
    /** Tries a failed request to the model again at once. Does nothing when none waits. */
    retryNow: oc.input(thread).output(nothing),
    rename: oc.input(thread.extend({ title: z.string().trim().min(1).max(200) })).output(nothing),
    pin: oc.input(thread.extend({ pinned: z.boolean() })).output(nothing),
    archive: oc.input(thread.extend({ archived: z.boolean() })).output(nothing),
    /** Stops it first. It can be restored for seven days. */
    delete: oc.input(thread).output(nothing),
    restore: oc.input(thread).output(nothing),
    /** Finds messages of all threads, latest first. Each word of the query must begin a word of the message. */
    search: oc
      .input(project.extend({ query: z.string().max(500), limit: z.int().min(1).max(500).default(100) }))
      .output(type<MessageSearch>()),
    /**
     * Changes one card of the plan. Fails as `NOT_FOUND` when the list no longer holds the card, and as `REFUSED` when
     * its status may not change like this. `branches.undo` puts a removed card back.
     */
    editTodo: oc.input(thread.extend({ edit: todoEdit })).output(type<{ readonly sequence: number }>()),
    /** Replaces the whole plan. Fails as `REFUSED` when a status may not change like this. */
    writeTodos: oc
      .input(
        thread.extend({
          todos: z.array(z.object({ content: z.string().min(1).max(2000), status: z.enum(todoStatuses) })).max(5_000),
        }),
      )
      .output(nothing),
  },
  /** Takes a thread with its subagents back to a checkpoint. It never touches the disk, and it can be redone. */
  rewind: {
    preview: oc.input(checkpoint).output(type<RewindPreview>()),
    /** The change that rewinding now would make to one path of a branch. */
    diff: oc.input(checkpoint.extend({ branchId, path: virtualPath })).output(type<FileDiff>()),
    /** Stops what runs first. */
    to: oc
      .input(checkpoint.extend({ files: z.boolean(), conversation: z.boolean() }))
      .output(type<{ readonly sequence: number }>()),
    /** Goes back to the state before a rewind. Anything added since is kept too, and a rewind can return to it. */
    redo: oc.input(thread.extend({ sequence })).output(type<{ readonly sequence: number }>()),
    /** Makes a new thread that begins with the conversation and files of a root thread at the checkpoint. */
    fork: oc
      .input(checkpoint.extend({ title: z.string().trim().min(1).max(200) }))
      .output(type<{ readonly threadId: ThreadId }>()),
    /** Goes back to before a person's message and sends another one instead. `files` takes the files back too. */
    edit: oc
      .input(checkpoint.extend({ text: typedText, files: z.boolean() }))
      .output(type<{ readonly sequence: number }>()),
  },
  /** Each command stores a new version. Memories and their versions are a fold of the events. */
  memory: {
    write: oc.input(memory.extend({ text: z.string().max(1_000_000) })).output(stored),
    delete: oc.input(memory).output(stored),
    /** Stores a new version equal to `to`. Null means the time before the first version. */
    restore: oc.input(memory.extend({ to: sequence.nullable() })).output(stored),
    version: oc
      .input(project.extend({ name: z.string().max(4096), sequence }))
      .output(type<{ readonly text: string }>()),
    /** Names of the matching memories. Each word of the query must begin a word of the memory. */
    search: oc.input(project.extend({ query: z.string().max(500) })).output(type<readonly string[]>()),
    planImport: oc.input(folder).output(type<MemoryTransfer>()),
    import: oc.input(transfer).output(type<{ readonly count: number }>()),
    planExport: oc.input(folder).output(type<MemoryTransfer>()),
    export: oc.input(transfer).output(type<{ readonly count: number }>()),
  },
  /**
   * The memories for all projects. Their `sequence` and `latest` are versions of their store; a change answers with the
   * entry of this project's journal, which `undo` takes back.
   */
  userMemory: {
    list: oc.input(project).output(type<UserMemoriesView>()),
    write: oc.input(memory.extend({ text: z.string().max(1_000_000) })).output(stored),
    delete: oc.input(memory).output(stored),
    restore: oc.input(memory.extend({ to: sequence.nullable() })).output(stored),
    undo: oc.input(project.extend({ sequence })).output(stored),
    version: oc
      .input(project.extend({ name: z.string().max(4096), sequence }))
      .output(type<{ readonly text: string }>()),
    /** As in the project's memory. */
    search: oc.input(project.extend({ query: z.string().max(500) })).output(type<readonly string[]>()),
    /** Lets agents of all projects know these memories, or not. Answers with what the settings say then. */
    switch: oc.input(z.object({ on: z.boolean() })).output(type<{ readonly on: boolean }>()),
  },
  approvals: {
    decide: oc.input(thread.extend({ interruptId, decisions: z.array(decision).min(1).max(500) })).output(nothing),
    /** The effect of a waiting call if it ran now. `args` are the arguments as a person changed them. */
    preview: oc
      .input(thread.extend({ callId: toolCallId, args: jsonObject.optional() }))
      .output(type<CallPreviewView>()),
    proposeRules: oc.input(thread.extend({ callId: toolCallId })).output(type<RuleProposals>()),
    previewRules: oc.input(project.extend({ rules })).output(type<RulePreview>()),
  },
  batches: {
    /** Runs the unsuccessful tasks of a finished batch again. Their rows are replaced. */
    retry: oc.input(thread.extend({ callId: toolCallId })).output(nothing),
    /** Ends the tasks of a running batch. The agent that started it goes on with what there is. */
    stop: oc.input(thread.extend({ callId: toolCallId })).output(nothing),
    /** Changes a batch while it runs: what it may do at once and cost, and its tasks. Refused beyond the settings. */
    change: oc
      .input(
        thread.extend({
          callId: toolCallId,
          concurrency: z.int().min(1).max(100).optional(),
          cost: z.number().nonnegative().nullable().optional(),
          add: z.array(z.string().trim().min(1).max(100_000)).max(10_000).optional(),
          drop: z.union([z.array(z.int().nonnegative()).max(10_000), z.literal('queued')]).optional(),
        }),
      )
      .output(nothing),
    /** Merges every conflict-free branch of the batch, each as an entry of its own. */
    mergeClean: oc.input(thread.extend({ callId: toolCallId })).output(type<BatchMerge>()),
  },
  branches: {
    review: oc.input(branch).output(type<BranchReview>()),
    lines: oc.input(branch).output(type<BranchLines>()),
    diff: oc.input(branch.extend({ path: virtualPath })).output(type<FileDiff>()),
    conflict: oc.input(branch.extend({ path: virtualPath })).output(type<ConflictSides>()),
    /** What a branch changed since its fork, also what is merged already: the files, and the exact patch for git. */
    exportPatch: oc.input(branch.extend({ paths })).output(type<BranchPatch>()),
    merge: oc
      .input(
        branch.extend({
          paths,
          force: z.boolean().default(false),
          strategy: z.enum(['refuse', 'three_way']).default('refuse'),
        }),
      )
      .output(type<MergeReceipt>()),
    /** What is left to merge of branches, and the conflicts with their parent and among them. Skips discarded ones. */
    survey: oc.input(project.extend({ branchIds })).output(type<readonly BranchSurvey[]>()),
    /**
     * Merges branches without conflicts, each as an entry of its own, in the order in which most of them merge. Joins changes that do
     * not overlap.
     */
    mergeReady: oc.input(project.extend({ branchIds })).output(type<ReadyMerge>()),
    /** Merges chosen hunks of `branches.diff` into the parent's file. The other hunks stay open. */
    mergeHunks: oc.input(hunks).output(type<MergeReceipt>()),
    /** Settles one conflicting path with a text that a person made of both sides. */
    resolve: oc
      .input(branch.extend({ path: virtualPath, text: z.string().max(20_000_000) }))
      .output(type<MergeReceipt>()),
    /** Starts a subagent that proposes a text for a conflicting path, on a branch of its own. */
    askToResolve: oc.input(branch.extend({ path: virtualPath })).output(type<{ readonly threadId: ThreadId }>()),
    /** Settles one conflicting path by one side as a whole: a file of any kind, or its deletion. */
    takeSide: oc
      .input(branch.extend({ path: virtualPath, side: z.enum(['ours', 'theirs']) }))
      .output(type<MergeReceipt>()),
    discard: oc.input(branch.extend({ paths })).output(type<{ readonly sequence: number }>()),
    /** Takes chosen hunks of `branches.diff` off the branch. */
    discardHunks: oc.input(hunks).output(type<{ readonly sequence: number }>()),
    restore: oc.input(branch).output(nothing),
    /** Compares two states, of one branch or of two. */
    compare: oc.input(compared).output(type<BranchComparison>()),
    compareFile: oc.input(compared.extend({ path: virtualPath })).output(type<FileDiff>()),
    /** Undoes one merge or discard, named by the entry that stored it. */
    undo: oc.input(project.extend({ sequence: z.int().positive() })).output(nothing),
  },
  checks: checkCommands,
  changes: changeCommands,
  ...branchAreas,
  deliveries: deliveryCommands,
  files: {
    list: oc.input(fileView.extend({ path: virtualPath })).output(type<FilePage>()),
    read: oc.input(fileView.extend({ path: virtualPath })).output(type<FileContent>()),
    /** A file of the workspace as bytes; null when there is none. */
    bytes: oc.input(fileView.extend({ path: virtualPath })).output(type<FileVersion | null>()),
    /** Opens the file of the project's own folder in the user's editor. Refused when it is not there. */
    openInEditor: oc.input(project.extend({ path: virtualPath, line: z.int().min(1).default(1) })).output(nothing),
    /** Paths for `@` mentions, best match first. */
    find: oc
      .input(fileView.extend({ query: z.string().max(500), limit: z.int().min(1).max(200).default(50) }))
      .output(type<readonly string[]>()),
  },
  usage: usageCommands,
  /** What makes a project ready for commands. Nothing of it runs before a person set it or trusted the project. */
  setup: setupCommands,
  storage: {
    view: oc.input(project).output(type<StorageView>()),
    cleanUp: oc.input(project.extend({ kinds: storageKindList })).output(type<Freed>()),
    dropEnvironment: oc.input(thread).output(type<Freed>()),
    /** Removes what the setup of the project left. It runs again before the next command. */
    dropSetup: oc.input(project).output(type<Freed>()),
  },
  settings: {
    get: oc.output(type<SettingsView>()),
    text: oc.output(type<SettingsText>()),
    /** Every setting of the file with its meaning, in the order in which the guide lists them. */
    reference: oc.output(type<readonly SettingReference[]>()),
    check: oc.input(z.object({ text: settingsText })).output(type<readonly SettingsProblem[]>()),
    /** Fails as `REFUSED` for a text with errors, and as `CONFLICT` when the file no longer equals `from`. */
    replace: oc.input(z.object({ text: settingsText, from: settingsText })).output(type<SettingsText>()),
    update: oc.input(settingsUpdate).output(type<SettingsView>()),
    /** Sends a message as the setting `notify` would, to see whether it gets through. Sends no word of a project. */
    testNotify: oc.input(notifyTarget).output(type<NotifyTest>()),
    changeRules: oc
      .input(z.object({ effect: z.enum(['deny', 'ask', 'allow']), add: rules.default([]), remove: rules.default([]) }))
      .output(type<SettingsView>()),
    /** `remember` stores it where `keyStorage` says; a plain store needs `consent`. */
    setKey: oc
      .input(
        z.object({
          key: z.string().trim().min(1).max(1000),
          remember: z.boolean(),
          consent: z.boolean().default(false),
        }),
      )
      .output(type<SettingsView>()),
    clearKey: oc.output(type<SettingsView>()),
    test: oc
      .input(z.object({ key: z.string().max(1000).optional(), baseUrl: z.string().max(2000).optional() }))
      .output(type<ConnectionTest>()),
  },
  extensions: extensionCommands,
  hooks: hookCommands,
  imports: importCommands,
  mcp: mcpCommands,
  processes: processCommands,
  terminal: {
    /**
     * Opens the user's own shell, in the project's folder or in a mount of a branch, and streams its output. Closing
     * the stream ends the shell. What was changed in a branch waits until it is kept or dropped.
     */
    open: oc
      .input(terminal.extend({ columns: cells, rows: cells, branchId: branchId.nullable() }))
      .output(eventIterator(type<TerminalEvent>())),
    write: oc.input(terminal.extend({ data: z.string().max(1_000_000) })).output(nothing),
    resize: oc.input(terminal.extend({ columns: cells, rows: cells })).output(nothing),
    /** Ends the shell. The stream then reports the paths changed in its mount. */
    end: oc.input(terminal).output(nothing),
    /** Makes what was changed in an ended shell a change of its branch. It waits in `terminals` of the project's state. */
    keep: oc.input(terminal).output(type<{ readonly sequence: number }>()),
    drop: oc.input(terminal).output(nothing),
  },
}

export type Contract = typeof contract
