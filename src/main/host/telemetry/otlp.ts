import type { JsonObject, JsonValue } from '#shared/base/json.ts'
import type { Attribute, Span } from './spans.ts'

/** The numbers of the protocol. */
const kinds = { internal: 1, client: 3 } as const
const failed = 2

/** A request of the OpenTelemetry protocol, in JSON: ids are hexadecimal, times are nanoseconds as text. */
export function otlpRequest(spans: readonly Span[], version: string): JsonObject {
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf({ 'service.name': 'coppice', 'service.version': version }) },
        scopeSpans: [{ scope: { name: 'coppice', version }, spans: spans.map(spanOf) }],
      },
    ],
  }
}

function spanOf({ traceId, spanId, parentSpanId, name, kind, start, end, attributes, error }: Span): JsonObject {
  return {
    ...{ traceId, spanId, name, kind: kinds[kind] },
    ...(parentSpanId !== null && { parentSpanId }),
    startTimeUnixNano: nanoseconds(Math.min(start, end)),
    endTimeUnixNano: nanoseconds(end),
    attributes: attributesOf(attributes),
    ...(error !== null && { status: { code: failed, message: error } }),
  }
}

function nanoseconds(milliseconds: number): string {
  return `${BigInt(Math.round(milliseconds)) * 1_000_000n}`
}

function attributesOf(attributes: Readonly<Record<string, Attribute>>): JsonObject[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: typedValue(value) }))
}

function typedValue(value: Attribute): JsonValue {
  switch (typeof value) {
    case 'string':
      return { stringValue: value }
    case 'boolean':
      return { boolValue: value }
    case 'number':
      return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
    default:
      return { arrayValue: { values: value.map((one) => ({ stringValue: one })) } }
  }
}
