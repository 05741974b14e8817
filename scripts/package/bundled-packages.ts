import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

interface Chunk {
  readonly type: 'chunk'
  readonly modules: Readonly<Record<string, unknown>>
}

/** The packages in the paths of bundled modules, sorted and without repetition. */
export function packagesOf(modules: readonly string[]): readonly string[] {
  const names = modules.map((path) => /.*node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)/.exec(path)?.[1])
  return [...new Set(names.filter((name) => name !== undefined).map((name) => name.replace('\\', '/')))].sort()
}

/** Part of a build: writes the names of the packages in it to `file`, from which their licences are collected. */
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
