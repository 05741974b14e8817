import { join } from 'node:path'

/** Where the parts of the app lie that run outside its own process, or that it reads as real files. */
export interface AppLayout {
  /** The Node that runs code. Null to use the one that runs this process. */
  readonly node: string | null
  readonly runnerChild: string
  readonly textWorker: string
  readonly indexWorker: string
  readonly pdfWorker: string
  readonly pageWorker: string
  readonly demo: string
  readonly renderer: string
}

/**
 * The layout of a checkout or of the npm package. `fromSources` is true where Node runs the sources themselves; then
 * other processes run sources too.
 */
export function plainLayout(root: string, fromSources: boolean): AppLayout {
  const entry = (source: string, built: string) => join(root, fromSources ? source : built)
  return {
    node: null,
    runnerChild: entry('src/main/adapters/runner/child.ts', 'out/main/runner-child.js'),
    indexWorker: entry('src/main/adapters/search/index/worker.ts', 'out/main/index-worker.js'),
    textWorker: entry('src/main/adapters/text/worker.ts', 'out/main/text-worker.js'),
    pdfWorker: entry('src/main/adapters/pdf/worker.ts', 'out/main/pdf-worker.js'),
    pageWorker: entry('src/main/adapters/web/page-worker.ts', 'out/main/page-worker.js'),
    demo: join(root, 'resources/demo/tally'),
    renderer: join(root, 'out/renderer'),
  }
}

/**
 * The layout of the packaged app. Electron loads its archive; everything that plain Node runs, so also the command
 * line, is a second copy of the built files in `app.asar.unpacked/host`, beside the packages with native parts.
 */
export function packagedLayout(resources: string, platform: NodeJS.Platform): AppLayout {
  return {
    ...plainLayout(join(resources, 'app.asar.unpacked/host'), false),
    node: join(resources, platform === 'win32' ? 'node.exe' : 'node'),
  }
}
