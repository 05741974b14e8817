// Reads the fuses back from the packaged programs.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses'
import { root } from '../steps.mjs'

/** True for a fuse that must be on. */
export const wanted = {
  RunAsNode: false,
  EnableCookieEncryption: true,
  EnableNodeOptionsEnvironmentVariable: false,
  EnableNodeCliInspectArguments: false,
  EnableEmbeddedAsarIntegrityValidation: true,
  OnlyLoadAppFromAsar: true,
  GrantFileProtocolExtraPrivileges: false,
}
const programs = ['Coppice.app', 'Coppice.exe', 'coppice-desktop']

/** A sentence for each fuse of a program that is not as wanted. */
export function fuseProblems(wire) {
  return Object.entries(wanted)
    .filter(([name, isOn]) => wire[FuseV1Options[name]] !== (isOn ? FuseState.ENABLE : FuseState.DISABLE))
    .map(([name, isOn]) => `The fuse ${name} is not ${isOn ? 'on' : 'off'}.`)
}

/** The same for every program in `dist`. No program at all is a problem too. */
export async function everyFuseProblem(folder = join(root, 'dist')) {
  const places = readdirSync(folder).flatMap((name) => programs.map((program) => join(folder, name, program)))
  const found = places.filter(existsSync)
  if (found.length === 0) return ['There is no packaged program in dist.']
  const problems = await Promise.all(
    found.map(async (place) => fuseProblems(await getCurrentFuseWire(place)).map((problem) => `${place}: ${problem}`)),
  )
  return problems.flat()
}
