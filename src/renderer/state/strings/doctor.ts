import { plural } from './common.ts'

export const doctorStrings = {
  about: 'Uses every part of this installation once, for real: the same as “coppice doctor” on the command line.',
  run: 'Examine',
  again: 'Examine again',
  running: (done: number) => `Examining… ${plural(done, 'part', 'parts')} so far`,
  done: 'Everything Coppice needs is here.',
  broken: (count: number) => `${plural(count, 'part is', 'parts are')} broken: see below for how to mend it.`,
  result: 'Result of the examination',
  states: { ok: 'In order', optional: 'Optional', broken: 'Broken' },
  copy: 'Copy the result',
} as const
