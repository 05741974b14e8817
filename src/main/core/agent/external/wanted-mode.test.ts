import { expect, it } from 'vitest'
import { wantedMode } from './wanted-mode.ts'

const modes = (...pairs: readonly (readonly [string, string])[]) => pairs.map(([id, name]) => ({ id, name }))
const claude = modes(['default', 'Default'], ['acceptEdits', 'Accept Edits'], ['plan', 'Plan Mode'])
const opencode = modes(['build', 'build'], ['plan', 'plan'])
const zed = modes(['read-only', 'Read Only'], ['auto', 'Default'], ['full-access', 'Full Access'])
const codex = modes(
  ['read-only', 'Read-only'],
  ['workspace-write', 'Workspace access'],
  ['agent', 'Auto review'],
  ['agent-full-access', 'Full access'],
)
const gemini = modes(['default', 'Default'], ['autoEdit', 'Auto Edit'], ['yolo', 'YOLO'], ['plan', 'Plan'])
const cursor = modes(['agent', 'Agent'], ['plan', 'Plan'], ['ask', 'Ask'])
const unknown = modes(['x', 'Turbo'])

it.each([
  [claude, 'plan', 'plan'],
  [claude, 'ask', 'default'],
  [claude, 'auto', 'default'],
  [opencode, 'plan', 'plan'],
  [opencode, 'auto-edit', 'build'],
  [zed, 'plan', 'read-only'],
  [zed, 'ask', 'read-only'],
  [zed, 'auto', 'auto'],
  [codex, 'plan', 'read-only'],
  [codex, 'ask', 'read-only'],
  [codex, 'auto-edit', 'workspace-write'],
  [codex, 'auto', 'workspace-write'],
  [gemini, 'plan', 'plan'],
  [gemini, 'ask', 'default'],
  [gemini, 'auto', 'default'],
  [cursor, 'ask', 'agent'],
  [cursor, 'auto', 'agent'],
  [modes(['a', 'Ask'], ['b', 'Plan']), 'plan', 'b'],
  [unknown, 'ask', undefined],
  [[], 'ask', undefined],
] as const)('of the modes %j, %s takes %s', (offered, mode, wanted) => {
  expect(wantedMode(mode, offered)?.id).toBe(wanted)
})
