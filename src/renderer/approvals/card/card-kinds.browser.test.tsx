import { afterEach, expect, it, vi } from 'vitest'
import { page } from 'vitest/browser'
import type { CallPreviewView, FileDiff } from '#shared/contract/views/files.ts'
import {
  type ActionRequest,
  type DecisionType,
  type Interrupt,
  unknownEndDecisions,
} from '#shared/model/calls/interrupt.ts'
import type { CallEffects } from '#shared/model/calls/outcome.ts'
import type { InterruptId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import { callId, threadId } from '../../state/store/entries.testkit.ts'
import { ApprovalCard } from './approval-card.tsx'

const path = (text: string): VirtualPath => text as VirtualPath

const base: ActionRequest = {
  ...{ callId: callId('c1'), name: '', args: {}, description: 'The mode Ask asks before each change.' },
  ...{ rule: 'the mode Ask', risk: 'low', riskReason: 'sandboxed and offline' },
}
const effects: CallEffects = {
  ...{ exit_code: null, output: '', hosts_refused: [], duration_ms: 12, ignored_changes: 0, secrets: [] },
  changes: { written: [path('/src/money.ts')], deleted: [], renamed: [] },
}
const command = { ...base, name: 'execute', args: { command: 'npm run build -- --silent' } }
const edit = {
  ...{ ...base, name: 'edit_file' },
  args: { file_path: '/src/money.ts', old_string: 'return a', new_string: 'return a + b' },
}
const code = { ...base, name: 'run_js_code', args: { code: "const text = await read('/a.txt')\nreturn text.length" } }
const server = {
  ...base,
  name: 'mcp__issues__create',
  args: { title: 'Rounding', labels: ['bug'] },
  risk: 'medium' as const,
}
const question = {
  ...{ ...base, name: 'ask_user', description: 'Which rounding?' },
  args: { question: 'Which rounding?', options: ['Half up', 'Half even'] },
}
const built: CallEffects = {
  ...{ ...effects, exit_code: 0, output: 'built 3 files\nExit code 0. 1.2 s.', duration_ms: 1200, ignored_changes: 4 },
  changes: {
    written: [path('/dist/app.js'), path('/src/money.ts')],
    deleted: [path('/src/old-money.ts')],
    renamed: [],
  },
}
const left: CallEffects['left_behind'] = {
  ...{ count: 4812, deleted: 1, folders: ['/node_modules'] },
  files: [
    { path: '/.git/hooks/post-commit', kind: 'hook' },
    { path: '~/.bashrc', kind: 'start_file' },
    { path: '~/.npmrc', kind: 'setting', gone: true },
    ...Array.from({ length: 40 }, (_, at) => ({ path: `/node_modules/.bin/tool-${at}`, kind: 'program' as const })),
  ],
}
const noFiles = { ...effects, changes: { written: [], deleted: [], renamed: [] } }

function diffOf(at: string, kind: FileDiff['change']['kind'], lines: readonly string[]): FileDiff {
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length
  const change = { path: path(at), kind, added: count('+'), removed: count('-'), binary: false }
  const hunk = { oldStart: 1, oldLines: lines.length, newStart: 1, newLines: lines.length, lines }
  return { ...{ path: path(at), change, hunks: [hunk], truncated: false }, fingerprint: null } as unknown as FileDiff
}
const money = diffOf('/src/money.ts', 'modify', [
  ...[' export function sum(a: number, b: number): number {', '-  return a', '+  return a + b', ' }'],
])
const preview: CallPreviewView = {
  ...{ kind: 'files', more: 0, foldersOnly: false, problem: null },
  files: [
    diffOf('/dist/app.js', 'create', ['+console.log(1)']),
    money,
    diffOf('/src/old-money.ts', 'delete', ['-export const one = 1']),
  ],
}
const oneFile: CallPreviewView = { ...preview, files: [money] }

const leaves = { risk: 'medium', riskReason: 'later commands may run what it left: /.git/hooks/post-commit' } as const

interface Case {
  readonly request: ActionRequest
  readonly buttons: string
  /** Parts of the card that must be there, and parts that must not. */
  readonly shows: readonly string[]
  readonly hides: readonly string[]
  readonly allowed?: readonly DecisionType[]
  readonly preview?: CallPreviewView
}

const keeps = 'Keep|Edit and run again|Drop'
const approves = 'Approve|Edit|Reject|Always allow…'
const ended = ['Exit', 'signal']

const cases: Readonly<Record<string, Case>> = {
  'a command that was tried': {
    ...{ request: { ...command, effects: built }, preview },
    buttons: `Show|Show|Show|${keeps}|Keep some files|Always…`,
    shows: ['ran a command – look at what it did', 'Exit 0', 'Changed 2 files, deleted 1', 'Deleted', 'built 3 files'],
    hides: ['Low risk', 'Exit code'],
  },
  'a command that left something for later ones': {
    ...{ request: { ...command, ...leaves, effects: { ...built, left_behind: left } }, preview },
    buttons: `Show|Show|Show|${keeps}|Keep some files|Always…`,
    shows: [
      'Medium risk: later commands may run',
      'hooks /.git/hooks/post-commit; start files',
      'tool-16 and 4792 more files',
    ],
    hides: ['tool-17', 'such as installed packages'],
  },
  'a command that asks': {
    request: command,
    buttons: approves,
    shows: ['wants to run a command', 'Low risk: sandboxed and offline', 'npm run build'],
    hides: [...ended, 'It printed nothing'],
  },
  'a file edit that was tried': {
    ...{ request: { ...edit, effects: { ...effects, output: 'Edited /src/money.ts.' } }, preview: oneFile },
    buttons: 'Show|Keep|Edit|Drop|Always allow…',
    shows: ['edited a file – look at what it did', '/src/money.ts', 'return a + b'],
    hides: [...ended, 'Low risk', 'Edited /src', 'It printed nothing', 'old_string'],
  },
  'a file edit that changed no file': {
    request: { ...edit, effects: { ...noFiles, output: 'The text to replace is not in /src/money.ts.' } },
    buttons: 'Keep|Edit|Drop|Always allow…',
    shows: ['Changed no file', 'The text to replace is not in', 'old_string'],
    hides: [...ended, 'Low risk'],
  },
  'a file edit that asks': {
    ...{ request: { ...edit, risk: 'high' }, preview: oneFile },
    buttons: `Show|${approves}`,
    shows: ['wants to edit a file', 'High risk', 'return a + b'],
    hides: [...ended, 'look at what it did'],
  },
  'code that was tried': {
    request: { ...code, effects: { ...noFiles, output: '{"ok":true,"result":12}' } },
    buttons: `${keeps}|Always allow…`,
    shows: ['ran JavaScript – look at what it did', 'Changed no file.', '"result":12', '12 ms'],
    hides: ended,
  },
  'code that asks': {
    ...{ request: code, preview: oneFile },
    buttons: `Show|${approves}`,
    shows: ['wants to run JavaScript', 'If it ran now, it would change:', 'return text.length'],
    hides: ended,
  },
  'a tool of a server': {
    request: server,
    buttons: approves,
    shows: ['wants to use mcp__issues__create', 'Medium risk', 'Rounding'],
    hides: [...ended, 'Changed'],
  },
  'a question': {
    ...{ request: question, allowed: ['respond'] },
    buttons: 'Half up|Half even|Answer',
    shows: ['asks you', 'Which rounding?'],
    hides: ended,
  },
  'several questions': {
    request: {
      ...question,
      description: 'Which rounding? (and 1 more)',
      args: {
        questions: [
          { question: 'Which rounding?', options: [{ label: 'Half up', detail: 'As taxes do' }, 'Half even'] },
          { question: 'Which files?', options: ['a.ts', 'b.ts'], multiple: true },
        ],
      },
    },
    allowed: ['respond'],
    buttons: 'Answer',
    shows: ['asks you', 'Which rounding?', 'As taxes do', 'Which files?', 'b.ts'],
    hides: ended,
  },
  'an unknown outcome': {
    ...{ request: command, allowed: unknownEndDecisions },
    buttons: 'Run again|Mark done|Skip',
    shows: ['nobody knows whether it had its effect', 'npm run build'],
    hides: [...ended, 'Approve', 'Keep'],
  },
}

afterEach(() => void delete document.documentElement.dataset.theme)

async function show({ request, allowed = ['approve', 'edit', 'reject'], preview: shown }: Case): Promise<void> {
  const interrupt: Interrupt = {
    ...{ id: 'i' as InterruptId, threadId, agent: 'main', action_requests: [request] },
    review_configs: [{ callId: request.callId, action_name: request.name, allowed_decisions: allowed }],
  }
  await renderInWindow(
    <div className="bg-canvas p-4 text-sm text-text">
      <ApprovalCard interrupt={interrupt} request={request} position="1 of 1" busy={false} onDecide={vi.fn()} />
    </div>,
    { 'approvals.preview': () => shown ?? { kind: 'arguments' } },
  )
}

const themes = ['light', 'dark'] as const

it.each(Object.keys(cases).flatMap((name) => themes.map((theme) => [name, theme] as const)))(
  'shows %s, %s, with its answers in order',
  async (name, theme) => {
    const shown = cases[name]
    if (!shown) throw new Error(`There is no case ${name}.`)
    document.documentElement.dataset.theme = theme
    await show(shown)
    const card = page.getByRole('group', { name: `Approval: ${shown.request.name} by main` })
    await expect.element(card).toBeVisible()
    for (const text of shown.shows) await expect.element(card).toHaveTextContent(text)
    for (const text of shown.hides) await expect.element(card).not.toHaveTextContent(text)
    const names = () =>
      card
        .getByRole('button')
        .elements()
        .map((button) => (button.getAttribute('aria-label')?.startsWith('Changes of') ? 'Show' : button.textContent))
        .join('|')
    await expect.poll(names).toBe(shown.buttons)
  },
)
