import { homedir } from 'node:os'
import { join } from 'node:path'
import { createBranchMounts } from '#adapters/mounts/branch-mounts.ts'
import { findHomeCaches } from '#adapters/shell/home-caches.ts'
import { defaultLimits } from '#adapters/shell/limits/command-limits.ts'
import { runCommand } from '#adapters/shell/run-command.ts'
import type { Sandbox } from '#adapters/shell/sandbox.ts'
import { createShell } from '#adapters/shell/shell.ts'
import { askVersions, differingVersions, readVersions, type ToolVersions } from '#adapters/shell/tool-versions.ts'
import { openProbe } from '#core/trial/open-trial.ts'
import type { Examination } from '#shared/contract/views/app.ts'
import type { HostOptions } from '../app/host-options.ts'

/** In milliseconds, for all tools together, which answer at the same time. */
const usualLimit = 20_000
const name = 'Tool chains'
const advice =
  'Commands find tools through PATH and variables such as RUSTUP_HOME, as Coppice was started with them. Start Coppice from a shell in which the tools work.'

/** Asks every tool chain for its version, as the person runs it and as a command does, and names the differences. */
export async function examineToolChains(
  { environment, dataFolder }: Pick<HostOptions, 'environment' | 'dataFolder'>,
  sandbox: Sandbox,
  folder: string,
  timeoutMs = usualLimit,
): Promise<Examination> {
  try {
    const [outside, inside] = await Promise.all([
      askOutside(folder, environment, timeoutMs),
      askInside(folder, sandbox, { dataFolder, environment }, timeoutMs),
    ])
    const differing = differingVersions(outside, inside)
    if (differing.length > 0) return { name, state: 'optional', detail: `${differing.join('; ')}. ${advice}` }
    const tools = [...outside.keys()].sort().join(', ')
    return { name, state: 'ok', detail: tools ? `the same in a command as in your shell: ${tools}` : 'none on PATH' }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { name, state: 'optional', detail: `they could not be compared: ${why}. ${advice}` }
  }
}

async function askOutside(
  folder: string,
  environment: HostOptions['environment'],
  timeoutMs: number,
): Promise<ToolVersions> {
  let output = ''
  const variables = Object.entries(environment).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]))
  await runCommand(
    {
      program: ['bash', '--noprofile', '--norc', '-c', askVersions()],
      contained: false,
      cwd: folder,
      environment: Object.fromEntries(variables),
      timeoutMs,
      input: null,
      filter: null,
      disk: folder,
      limits: defaultLimits,
      onChunk: (_stream, chunk) => (output += chunk.toString()),
    },
    AbortSignal.timeout(2 * timeoutMs),
  )
  return readVersions(output)
}

async function askInside(
  folder: string,
  sandbox: Sandbox,
  { dataFolder, environment }: Pick<HostOptions, 'environment' | 'dataFolder'>,
  timeoutMs: number,
): Promise<ToolVersions> {
  const signal = AbortSignal.timeout(2 * timeoutMs)
  const findCaches = () => findHomeCaches({ hidden: [dataFolder], home: homedir(), environment, rootFolder: null })
  await using mounts = createBranchMounts({ rootFolder: null, mountsFolder: join(folder, 'tool-views'), findCaches })
  await using mount = await openProbe(mounts, 'doctor', signal)
  const request = { command: askVersions(), timeoutMs, mount, onOutput: () => {} }
  const { output } = await createShell({ sandbox, rootFolder: null }).execute(request, signal)
  return readVersions(output)
}
