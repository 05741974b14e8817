import { randomUUID } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import type { Shell } from '#core/ports/shell.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createBoundedOutput } from './bounded-output.ts'
import { capture } from './capture.ts'
import { createDeclarations } from './declarations.ts'
import { takeManifest } from './manifest.ts'
import { createEntryPreparer } from './prepare-entry.ts'
import { runCommand } from './run-command.ts'
import { spawnFunction } from './spawn-function.ts'
import { createView, sweepViews, type View } from './view.ts'
import { createViewRules } from './view-rules.ts'
import { writeOverlay } from './write-overlay.ts'

export interface ShellOptions {
  /** Null for a scratch workspace: commands start in an empty folder. */
  readonly rootFolder: string | null
  /** In the data folder, this project's own: what is in it is removed at the start. */
  readonly viewsFolder: string
  /** A folder in the project that is not part of it: commands do not get a copy of it. */
  readonly hidden?: VirtualPath | null
}

const outputLimit = 1024 * 1024
const passedOn = ['PATH', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'SystemRoot']

export function createShell(options: ShellOptions): Shell {
  const { rootFolder } = options
  const viewsFolder = outsideOf(rootFolder, options.viewsFolder)
  const swept = sweepViews(viewsFolder)
  return {
    async execute(request, signal) {
      await swept
      await mkdir(viewsFolder, { recursive: true, mode: 0o700 })
      const started = performance.now()
      await using view = await createView(viewsFolder, rootFolder, options.hidden ?? null, signal)
      await writeOverlay(view.files, request.overlay)
      const before = await takeManifest(view.files, createEntryPreparer(view.files, rootFolder))
      const output = createBoundedOutput(outputLimit, request.onOutput)
      const { command, timeoutMs } = request
      const nonce = randomUUID()
      const declarations = createDeclarations(nonce)
      const onChunk = (stream: 'stdout' | 'stderr', chunk: Buffer) =>
        output.accept(stream, declarations.take(stream, chunk))
      const environment = { ...environmentOf(view), ...(request.declares && spawnFunction(nonce)) }
      const run = await runCommand({ command, timeoutMs, cwd: view.files, environment, onChunk }, signal)
      for (const stream of ['stdout', 'stderr'] as const) output.accept(stream, declarations.rest(stream))
      const after = await takeManifest(view.files)
      const rules = createViewRules(view.files, rootFolder)
      const { overlay } = request
      const captured = await capture({ files: view.files, rootFolder, overlay, before, after, rules })
      const declared = declarations.found
      return { ...run, ...output.result(), ...captured, declared, durationMs: Math.round(performance.now() - started) }
    },
    sandbox: () => ({
      state: 'off',
      reason:
        'Commands run in a copy of the project, but nothing keeps them from the rest of this machine or the network.',
    }),
  }
}

/** An allow-list: nothing of the app's own environment is passed on by accident. */
function environmentOf(view: View): Record<string, string> {
  const kept = passedOn.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    LANG: 'C.UTF-8',
    ...Object.fromEntries(kept),
    HOME: view.home,
    TMPDIR: view.temporary,
    TERM: 'dumb',
  }
}

/** A copy of the project cannot be made inside the project. */
function outsideOf(rootFolder: string | null, viewsFolder: string): string {
  if (rootFolder === null) return viewsFolder
  const path = relative(realpathSync.native(rootFolder), viewsFolder)
  const isInside = !path.startsWith('..') && path !== viewsFolder
  return isInside ? join(tmpdir(), `coppice-${basename(dirname(viewsFolder))}-views`) : viewsFolder
}
