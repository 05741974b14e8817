import { expect, it } from 'vitest'
import type { ToolCallId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { emptyTree } from '../overlay/tree.ts'
import { type CodeRunner, defaultRunnerLimits } from '../ports/code-runner.ts'
import { openFileTools } from './files-world.suite.ts'
import { createRunJsCodeTool } from './run-js.ts'
import type { ToolContext } from './tool.ts'

it.each(['/.env', '/keys/../.env', '.env/'])('code cannot read %s, which read_file would ask for', async (path) => {
  const world = await openFileTools({ '/.env': 'KEY=canary\n', '/a.txt': 'plain' })
  const runner: CodeRunner = {
    run: async ({ files }) => {
      expect(await files.read('/a.txt')).toBe('plain')
      return { ok: true, value: await files.read(path), stdout: '', stderr: '', error: null, duration_ms: 0 }
    },
  }
  const draft = world.draft(emptyTree)
  const files = { read: (file: VirtualPath) => draft.read(file) }
  const context = { callId: 'c' as ToolCallId, files, signal: new AbortController().signal } as unknown as ToolContext
  const running = createRunJsCodeTool(runner, () => defaultRunnerLimits).run({ code: 'x' }, context)
  await expect(running).rejects.toThrow('/.env may hold secrets')
})
