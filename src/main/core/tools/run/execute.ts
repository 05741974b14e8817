import { z } from 'zod'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import type { BranchMount, MountCapture } from '../../ports/branch-mounts.ts'
import type { CommandShell, ShellOutcome } from '../../ports/shell.ts'
import { declaredIn } from '../delegate/declared-tasks.ts'
import { type Tool, textOutput } from '../tool.ts'
import { type MountBranch, takeOver } from './branch-mount.ts'

const schema = z.object({
  command: z.string().min(1).describe('A bash command line. It starts in the project root.'),
  timeout: z.number().positive().max(3600).default(120).describe('Seconds.'),
})

const description =
  'Runs a bash command in a throw-away view of your files: tests, builds, git reads. Files it changes become changes of yours; ignored files and .git stay for your next command. Paths inside the command are relative to the project root (the working directory), not virtual paths. The user approves each command.'
const declaring =
  'In it, spawn_subagent [--type TYPE] [--id ID] "instruction" declares a task for a subagent; all declared tasks run as one batch when the command has ended.'

/** `execute`: runs a command in a throw-away mount of the branch. Its changes become changes of the branch. */
export function createExecuteTool(
  shell: CommandShell,
  mountBranch: MountBranch,
  declares: boolean,
): Tool<z.infer<typeof schema>> {
  return {
    ...toolFacts.execute,
    description: declares ? `${description} ${declaring}` : description,
    schema,
    async run({ command, timeout }, context) {
      await using mount = await mountBranch(context)
      const request = {
        command,
        timeoutMs: timeout * 1000,
        mount,
        hosts: context.hosts,
        declares,
        onOutput: context.onOutput,
      }
      const outcome = await shell.execute(request, context.signal)
      if (outcome.endedBy === 'disk') await mount.empty()
      const captured = outcome.endedBy === 'disk' ? nothing : await mount.capture()
      await takeOver(context.branch, captured.changes)
      const { tasks, note } = declaredIn(outcome.declared)
      return {
        ...textOutput([report(outcome, captured, mount.evicted), note].filter(Boolean).join(' ')),
        declares: tasks,
      }
    },
  }
}

const nothing: MountCapture = { changes: [], ignoredChanges: 0 }

function report(
  outcome: ShellOutcome,
  { changes, ignoredChanges }: MountCapture,
  evicted: BranchMount['evicted'],
): string {
  const ended = endOf(outcome)
  const changed = changes
    .filter(({ kind }) => kind !== 'directory')
    .map(({ kind, path }) => `${kind === 'absent' ? 'deleted' : 'wrote'} ${path}`)
  const notes = [
    `${ended} ${(outcome.durationMs / 1000).toFixed(1)} s.`,
    changed.length > 0 &&
      `Changes: ${changed.slice(0, 50).join(', ')}${changed.length > 50 ? ` and ${changed.length - 50} more` : ''}.`,
    ignoredChanges > 0 &&
      `${ignoredChanges} ignored files changed (.git among them); they stay for your next command and are no changes.`,
    evicted.length > 0 &&
      `Before it ran, kept files at ${evicted.join(', ')} were dropped, because the branch or the disk had changed there.`,
    outcome.denied.length > 0 &&
      `The sandbox seems to have kept it from: ${outcome.denied.join('; ')}. The user can grant hosts when asked to approve a command.`,
    outcome.omittedBytes > 0 && `${outcome.omittedBytes} bytes were cut from the middle of the output.`,
  ]
  return [outcome.output.trimEnd() || '(no output)', notes.filter(Boolean).join('\n')].join('\n\n')
}

function endOf({ endedBy, exitCode, signal }: ShellOutcome): string {
  switch (endedBy) {
    case 'time':
      return 'Timed out; the command and all it started were ended.'
    case 'disk':
      return 'It filled the disk; the command and all it started were ended, and nothing it wrote was kept.'
    case 'itself':
      return exitCode === null ? `Ended by signal ${signal}.` : `Exit code ${exitCode}.`
  }
}
