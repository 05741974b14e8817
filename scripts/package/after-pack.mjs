// electron-builder calls this when the files of an app are in place, before it signs them and makes packages of them.
import { join } from 'node:path'
import { Arch } from 'electron-builder'
import { resourceProblems } from './check-resources.mjs'

export default function checkApp({ appOutDir, arch, electronPlatformName, packager }) {
  const system = { darwin: 'mac', win32: 'win', linux: 'linux' }[electronPlatformName]
  const app = `${packager.appInfo.productFilename}.app`
  const resources = system === 'mac' ? join(appOutDir, app, 'Contents/Resources') : join(appOutDir, 'resources')
  const problems = resourceProblems(resources, { system, arch: Arch[arch] })
  if (problems.length > 0) throw new Error(`The packaged app is broken.\n${problems.join('\n')}`)
}
