import { examine } from '#host/config/doctor.ts'
import type { CommandLine } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { openHost } from '../open-host.ts'

/** `coppice doctor`: really uses every part once, instead of only looking for it. */
export async function doctor(line: CommandLine): Promise<number> {
  await using host = await openHost(line, 'cli')
  let broken = 0
  for await (const { name, state, detail } of examine(host)) {
    const mark = { ok: 'ok      ', optional: 'optional', broken: 'BROKEN  ' }[state]
    process.stdout.write(`${mark}  ${name.padEnd(16)} ${detail}\n`)
    if (state === 'broken') broken += 1
  }
  process.stdout.write(
    broken === 0
      ? 'Everything Coppice needs is here.\n'
      : `${broken === 1 ? 'One part is' : `${broken} parts are`} broken: see above for how to fix it.\n`,
  )
  return broken === 0 ? exitCodes.done : exitCodes.failed
}
