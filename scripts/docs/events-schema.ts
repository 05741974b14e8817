import { z } from 'zod'
import { runFinishedSchema } from '../../src/main/host/headless/run-report.ts'
import { eventSchema } from '../../src/shared/contract/events.ts'

/** `events.schema.json`: one line of `coppice run --json`. */
export function eventsSchemaFile(): string {
  const { $schema, ...schema } = z.toJSONSchema(z.union([runFinishedSchema, eventSchema]), {
    io: 'input',
    unrepresentable: 'any',
    reused: 'ref',
  })
  const file = {
    $schema,
    title: 'A line of "coppice run --json"',
    description: 'Every line is one event. The last one is run.finished.',
    ...schema,
  }
  return `${JSON.stringify(file, null, 1)}\n`
}
