import { z } from 'zod'

const name = z.string().regex(/^[\w-]{1,100}$/)
const value = z
  .string()
  .max(4096)
  .regex(/^[\t\x20-\x7e]*$/)

export const telemetryShape = z
  .strictObject({
    endpoint: z
      .url({ protocol: /^https?$/ })
      .optional()
      .meta({ description: 'The address of a collector, such as `http://localhost:4318`. `/v1/traces` is added.' }),
    from_environment: z.boolean().optional().meta({
      description: 'Whether `OTEL_EXPORTER_OTLP_ENDPOINT` names the collector where `endpoint` is left out.',
      default: false,
    }),
    headers: z.record(name, value).optional().meta({ description: 'Headers for the collector.', default: {} }),
    content: z.boolean().optional().meta({
      description: 'Whether the texts of messages, arguments and results are sent as well.',
      default: false,
    }),
  })
  .nullable()
  .meta({
    description:
      'Sends spans of runs, model requests and tool calls to a collector of yours by the protocol of OpenTelemetry. See [Spans for your own tools](usage.md#spans-for-your-own-tools).',
    default: null,
  })
