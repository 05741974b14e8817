import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

interface Chunk {
  readonly type: 'chunk'
  readonly modules: Readonly<Record<string, unknown>>
}

/**
 * The packages in the paths of bundled modules, as the lock file names them: `node_modules/a/node_modules/b` is another one
 * than `node_modules/b`. Sorted and without repetition.
 */
export function packagesOf(modules: readonly string[]): readonly string[] {
  const paths = modules.map((module) => {
    const path = module.replaceAll('\\', '/')
    const [first, last] = [path.indexOf(folder), path.lastIndexOf(folder)]
    const name = /^(?:@[^/]+\/)?[^/]+/.exec(path.slice(last + folder.length))?.[0]
    return first < 0 || name === undefined ? undefined : `${path.slice(first, last)}${folder}${name}`
  })
  return [...new Set(paths.filter((path) => path !== undefined))].sort()
}

const folder = 'node_modules/'

/** Part of a build: writes the packages in it to `file`, from which their licences and the list of a release are made. */
export function listBundled(file: string) {
  return {
    name: 'list-bundled',
    generateBundle(_: unknown, bundle: Readonly<Record<string, Chunk | { readonly type: 'asset' }>>) {
      const chunks = Object.values(bundle).filter((part): part is Chunk => part.type === 'chunk')
      mkdirSync(dirname(file), { recursive: true })
      const names = packagesOf(chunks.flatMap(({ modules }) => Object.keys(modules)))
      writeFileSync(file, `${JSON.stringify(names, null, 2)}\n`)
    },
  }
}
