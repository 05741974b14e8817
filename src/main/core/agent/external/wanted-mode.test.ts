import { expect, it } from 'vitest'
import { wantedMode } from './wanted-mode.ts'

const modes = (...pairs: readonly (readonly [string, string])[]) => pairs.map(([id, name]) => ({ id, name }))
const claude = modes(['default', 'Default'], ['acceptEdits', 'Accept Edits'], ['plan', 'Plan Mode'])
const opencode = modes(['build', 'build'], ['plan', 'plan'])
const codex = modes(['read-only', 'Read Only'], ['auto', 'Default'], ['full-access', 'Full Access'])
const unknown = modes(['x', 'Turbo'])

it.each([
  [claude, 'plan', 'plan'],
  [claude, 'ask', 'default'],
  [claude, 'auto', 'default'],
  [opencode, 'plan', 'plan'],
  [opencode, 'auto-edit', 'build'],
  [codex, 'plan', 'read-only'],
  [codex, 'ask', 'read-only'],
  [codex, 'auto', 'auto'],
  [modes(['a', 'Ask'], ['b', 'Plan']), 'plan', 'b'],
  [unknown, 'ask', undefined],
  [[], 'ask', undefined],
] as const)('of the modes %j, %s takes %s', (offered, mode, wanted) => {
  expect(wantedMode(mode, offered)?.id).toBe(wanted)
})
