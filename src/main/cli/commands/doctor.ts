import { examine } from '#host/doctor/doctor.ts'
import type { Examination } from '#shared/contract/views/app.ts'
import { plural } from '#shared/text/plural.ts'
import { answerVerb, printLines } from '../answer-verb.ts'
import type { CommandLine } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { openHost } from '../open-host.ts'
import { type Line, lineOf, type Tone } from '../screen/spans.ts'

/** `coppice doctor`: really uses every part once, instead of only looking for it. */
export function doctor(line: CommandLine): Promise<number> {
  return answerVerb(line, async () => {
    await using host = await openHost(line, 'cli')
    const parts: Examination[] = []
    for await (const part of examine(host)) {
      parts.push(part)
      // One at a time, because some parts take seconds.
      if (!line.flag('json')) printLines([partLine(part)])
    }
    const broken = parts.filter(({ state }) => state === 'broken').length
    return {
      value: { parts, broken },
      lines: [lineOf(''), endLine(broken)],
      code: broken === 0 ? exitCodes.done : exitCodes.failed,
    }
  })
}

const looks: Readonly<Record<Examination['state'], readonly [word: string, tone: Tone]>> = {
  ok: ['ok      ', 'good'],
  optional: ['optional', 'warn'],
  broken: ['BROKEN  ', 'bad'],
}

function partLine({ name, state, detail }: Examination): Line {
  const [word, tone] = looks[state]
  return [
    { text: word, tone },
    { text: `  ${name.padEnd(16)} ` },
    { text: detail, tone: state === 'ok' ? 'dim' : 'plain' },
  ]
}

function endLine(broken: number): Line {
  if (broken === 0) return lineOf('Everything Coppice needs is here.', 'good')
  return lineOf(`${plural(broken, 'part is', 'parts are')} broken: see above for how to fix it.`, 'bad')
}
