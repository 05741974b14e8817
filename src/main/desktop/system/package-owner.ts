import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PackageOwner } from '#host/updates/updater.ts'

interface Installation {
  readonly isPackaged: boolean
  readonly platform: NodeJS.Platform
  /** Where the packaged app keeps its resources. */
  readonly resources: string
  /** The variable of an AppImage; undefined without one. */
  readonly appImage: string | undefined
}

/** The program that brings new versions of this installation; null when the app replaces itself. */
export function findPackageOwner({ isPackaged, platform, resources, appImage }: Installation): PackageOwner | null {
  if (!isPackaged) return 'source'
  // Without this file nobody said where the releases are, as in a package that somebody made for themselves.
  const replacesItself = existsSync(join(resources, 'app-update.yml')) ? null : 'source'
  if (platform !== 'linux' || appImage) return replacesItself
  // The maker of the packages writes this file into those for a package manager.
  const file = join(resources, 'package-type')
  const kind = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  return kind === 'rpm' ? 'rpm' : 'deb'
}
