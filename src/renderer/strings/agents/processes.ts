import type { ProcessRecord } from '#shared/model/process.ts'
import { endClause } from '#shared/model/process.ts'
import { plural } from '#shared/text/plural.ts'

export const processStrings = {
  title: 'Processes',
  /** Of one branch. */
  titleOf: (branch: string) => `Processes of ${branch}`,
  running: (count: number) => plural(count, 'process', 'processes'),
  noneRuns: 'None runs',
  runningHint: 'Commands that agents run in the background',
  /** `handle` is null for the workspace. */
  branchName: (name: string, handle: string | null) =>
    handle === null || handle === name ? name : `${name} · ${handle}`,
  /** Two agents may run the same command, and each numbers its own. */
  name: (command: string, id: string, agent: string) => `${command} (${id} of ${agent})`,
  state: ({ end }: Pick<ProcessRecord, 'end'>) => (end === null ? 'runs' : endClause(end)),
  kept: 'kept after the run',
  output: (name: string) => `Output of ${name}`,
  dropped: (bytes: string) => `${bytes} before this are not shown.`,
  noOutput: 'It has printed nothing yet.',
  stop: (name: string) => `Stop process ${name}`,
  keep: (name: string) => `Keep ${name} running after the run`,
  run: (name: string) => `Run: ${name}`,
  runIn: (name: string, branch: string) => `Run: ${name} in ${branch}`,
  runs: (branch: string) => `Commands that ${branch} can run`,
  runsUnconfined: 'Without the sandbox a command can reach your files and the network.',
  runsOpen: 'The sandbox is only partial: a command may reach the network.',
  port: (port: number, label: string | null = null) => (label === null ? `Port ${port}` : `${label} · Port ${port}`),
  portOf: (port: number, branch: string) => `Port ${port} of ${branch}`,
  openPreview: (port: number, branch: string) => `Open preview of port ${port} of ${branch}`,
  openPreviewShort: 'Open preview',
  noPreviews: 'Without the sandbox there are no previews: branches share the ports of your machine.',
  previewFailed: 'The preview was not opened',
}
