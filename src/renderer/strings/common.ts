import type { WireErrorCode } from '#shared/contract/wire-errors.ts'
import type { ChangeKind, MergeStatus } from '#shared/model/branch.ts'
import type { CommandApproval } from '#shared/model/settings.ts'
import type { ApprovalMode, ThreadStatus } from '#shared/model/thread.ts'
import { formatBytes } from '#shared/text/format.ts'
import { plural } from '#shared/text/plural.ts'

const statusLabels: Record<ThreadStatus, string> = {
  idle: 'Idle',
  queued: 'Queued',
  working: 'Working',
  needs_you: 'Needs you',
  paused: 'Paused',
  done: 'Done',
  failed: 'Failed',
  stopped: 'Stopped',
}

const changeLabels: Record<ChangeKind, string> = {
  create: 'Added',
  modify: 'Modified',
  delete: 'Deleted',
  rename: 'Renamed',
  mode: 'Permissions changed',
  symlink: 'Link',
}

const changeLetters: Record<ChangeKind, string> = {
  create: 'A',
  modify: 'M',
  delete: 'D',
  rename: 'R',
  mode: 'X',
  symlink: 'L',
}

const mergeLabels: Record<MergeStatus, string> = {
  clean: 'clean',
  mergeable: 'needs merge',
  conflict: 'conflict',
  identical: 'identical',
}

const modeLabels: Record<ApprovalMode, string> = { plan: 'Plan', ask: 'Ask', 'auto-edit': 'Auto-edit', auto: 'Auto' }

const editsFreely = 'Edits freely in the workspace.'
const noSandbox = 'Commands ask before they run, because there is no full sandbox.'

/** What each mode does. The first four hold with a sandbox. */
const modeHints = {
  plan: 'Changes nothing. Commands run in the sandbox, and what they change is dropped.',
  ask: 'Asks before every change and every command.',
  'auto-edit': `${editsFreely} Commands run in the sandbox, and you keep or drop what they did.`,
  auto: 'Keeps what commands do in the sandbox. Asks only for what leaves it.',
  /** Auto-edit and Auto, where the settings say when commands are approved. */
  commands: {
    before: `${editsFreely} Commands ask before they run, as your settings say.`,
    after: `${editsFreely} You keep or drop what commands did, as your settings say.`,
    adopt: `${editsFreely} What commands do in the sandbox is kept, as your settings say.`,
  } satisfies Record<CommandApproval, string>,
  withoutSandbox: {
    plan: 'Reads and plans, changes nothing. No command runs, because there is no full sandbox.',
    ask: `Every change asks first. ${noSandbox}`,
    'auto-edit': `${editsFreely} ${noSandbox}`,
    auto: `${editsFreely} ${noSandbox}`,
  } satisfies Record<ApprovalMode, string>,
} as const

export const commonStrings = {
  status: statusLabels,
  change: changeLabels,
  changeLetter: changeLetters,
  merge: mergeLabels,
  mode: modeLabels,
  modeHint: modeHints,
  lastChangedBy: (name: string) => `Last changed by ${name}`,
  close: 'Close',
  cancel: 'Cancel',
  retry: 'Try again',
  undo: 'Undo',
  copied: 'Copied',
  notCopied: 'Not copied',
  linkNotOpened: 'The link was not opened',
  notCopiedDetail: 'The browser does not allow it. Select the text and copy it yourself.',
  save: 'Save',
  loading: 'Loading…',
  showAll: (count: number) => `Show all ${count} lines`,
  binary: 'Binary file, not shown as text.',
  tooLarge: 'The comparison is too large to show all of it. Export the patch to read the rest.',
  largeFile: (bytes: number) => `Too large to show: ${formatBytes(bytes)}.`,
  noTextChange: 'The text did not change.',
  unified: 'Unified',
  split: 'Split',
  moved: (kind: 'added' | 'removed', line: number, path?: string) => {
    const place = path === undefined ? `line ${line}` : `${path}:${line}`
    return kind === 'added' ? `Moved from ${place}` : `Moved to ${place}`
  },
  hunk: (place: number, count: number) => `Change ${place} of ${count}`,
  unchanged: (lines: number | null) =>
    lines === null ? 'Show the rest of the file' : `Show ${plural(lines, 'unchanged line', 'unchanged lines')}`,
} as const

/** What to do about each kind of refusal. The host's own message says what happened. */
export const refusalStrings = {
  nextStep: {
    BAD_REQUEST: 'Check what you entered and try again.',
    NOT_FOUND: 'It may have been removed. Go back and choose again.',
    NOT_A_FOLDER: 'Choose its folder, or another one.',
    UNREADABLE: 'Check its permissions, or choose another folder.',
    PROJECT_LOCKED: 'Close the other window or run that holds it, then try again.',
    ALREADY_DECIDED: 'Nothing more to do here.',
    CONFLICT: 'Review the conflicting files, then try again.',
    NO_KEY: 'Enter a key, or try the demo.',
    REFUSED: 'Change what it names and try again.',
    CANCELLED: 'Start it again whenever you like.',
    NOT_STORED: 'Make room on the disk of the data folder, then try again. Nothing that was stored is lost.',
    INTERNAL: 'Try again. If it happens again, run "coppice doctor".',
    OFFLINE: 'Try again once the status bar says Connected.',
  } satisfies Record<WireErrorCode | 'OFFLINE', string>,
  failed: (command: string) => `${command}: this did not work`,
  unknown: 'Something went wrong.',
  connectionLost: 'The connection to Coppice was lost.',
} as const
