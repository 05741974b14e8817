import { z } from 'zod'
import { parentOf } from '#shared/model/virtual-path.ts'
import type { Draft } from '../overlay/draft.ts'
import { viewEntries } from '../overlay/view-entries.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type { Shell, ShellOutcome, ViewChange } from '../ports/shell.ts'
import { declaredIn } from './declared-tasks.ts'
import { type Tool, textOutput } from './tool.ts'

const schema = z.object({
  command: z.string().min(1).describe('A bash command line. It starts in the project root.'),
  timeout: z.number().positive().max(3600).default(120).describe('Seconds.'),
})

const description =
  'Runs a bash command in a throw-away copy of your files: tests, builds, git reads. Files it changes become changes of yours; ignored files and .git do not. Paths inside the command are relative to the project root (the working directory), not virtual paths. The user approves each command.'
const declaring =
  'In it, spawn_subagent [--type TYPE] [--id ID] "instruction" declares a task for a subagent; all declared tasks run as one batch when the command has ended.'

/** `execute`: a command in a throw-away view of the branch; what it changed becomes changes of the branch. */
export function createExecuteTool(shell: Shell, blobs: BlobStore, declares: boolean): Tool<z.infer<typeof schema>> {
  return {
    name: 'execute',
    description: declares ? `${description} ${declaring}` : description,
    schema,
    effect: 'outside',
    async run({ command, timeout }, context) {
      const overlay = viewEntries(context.branch.tree, blobs)
      const request = { command, timeoutMs: timeout * 1000, overlay, declares, onOutput: context.onOutput }
      const outcome = await shell.execute(request, context.signal)
      for (const change of outcome.changes) await capture(context.branch, change)
      const { tasks, note } = declaredIn(outcome.declared)
      return { ...textOutput([report(outcome), note].filter(Boolean).join(' ')), declares: tasks }
    },
  }
}

async function capture(branch: Draft, change: ViewChange): Promise<void> {
  switch (change.kind) {
    case 'file':
      await removeOther(branch, change.path, 'file')
      await branch.write(change.path, change.bytes, { executable: change.executable })
      return
    case 'symlink':
      await removeOther(branch, change.path, 'none')
      return branch.makeSymlink(change.path, change.target)
    case 'directory':
      await removeOther(branch, change.path, 'directory')
      return branch.makeDirectory(change.path)
    case 'absent':
      if (await branch.stat(change.path)) await branch.delete(change.path)
  }
}

/** A path that changed its kind is removed first, and a link is never written through. */
async function removeOther(
  branch: Draft,
  path: ViewChange['path'],
  kind: 'file' | 'directory' | 'none',
): Promise<void> {
  const node = await branch.stat(path)
  if (node && node.kind !== kind) await branch.delete(path)
  const parent = await branch.stat(parentOf(path))
  if (parent && parent.kind !== 'directory') await branch.delete(parentOf(path))
}

function report(outcome: ShellOutcome): string {
  const ended = outcome.timedOut
    ? 'Timed out; the command and all it started were ended.'
    : outcome.exitCode === null
      ? `Ended by signal ${outcome.signal}.`
      : `Exit code ${outcome.exitCode}.`
  const changed = outcome.changes
    .filter(({ kind }) => kind !== 'directory')
    .map(({ kind, path }) => `${kind === 'absent' ? 'deleted' : 'wrote'} ${path}`)
  const notes = [
    `${ended} ${(outcome.durationMs / 1000).toFixed(1)} s.`,
    changed.length > 0 &&
      `Changes: ${changed.slice(0, 50).join(', ')}${changed.length > 50 ? ` and ${changed.length - 50} more` : ''}.`,
    outcome.ignoredChanges > 0 && `${outcome.ignoredChanges} changes of ignored files were left out.`,
    outcome.omittedBytes > 0 && `${outcome.omittedBytes} bytes were cut from the middle of the output.`,
  ]
  return [outcome.output.trimEnd() || '(no output)', notes.filter(Boolean).join('\n')].join('\n\n')
}
