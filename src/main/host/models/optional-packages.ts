import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Packages that a person may install beside the app. They are loaded when something needs them. */
export interface OptionalPackages {
  /** Rejects when the package is found neither beside the app nor in the data folder. */
  load(name: string): Promise<Readonly<Record<string, unknown>>>
  /** The command that installs it, for a person. It works wherever the app itself is. */
  installCommand(name: string): string
}

/** `dataFolder`: holds the packages that do not stand beside the app. */
export function openOptionalPackages(dataFolder: string): OptionalPackages {
  const folder = join(dataFolder, 'packages')
  return {
    async load(name) {
      const beside = createRequire(join(folder, 'package.json'))
      const own = createRequire(import.meta.url)
      for (const resolver of [beside, own]) {
        const path = resolve(resolver, name)
        if (path !== null) return (await import(/* @vite-ignore */ pathToFileURL(path).href)) as Record<string, unknown>
      }
      throw Object.assign(new Error(`Cannot find package ${name}`), { code: 'ERR_MODULE_NOT_FOUND' })
    },
    installCommand: (name) => `npm install --prefix ${JSON.stringify(folder)} ${name}`,
  }
}

function resolve(resolver: NodeJS.Require, name: string): string | null {
  try {
    return resolver.resolve(name)
  } catch {
    return null
  }
}
