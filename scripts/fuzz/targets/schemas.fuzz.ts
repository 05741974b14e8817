import { complaintAbout } from '../../../src/main/adapters/model-http/strict-server.testkit.ts'
import { isJsonObject, type JsonValue } from '../../../src/shared/base/json.ts'
import { offerSchema, withOwnKeys } from '../../../src/shared/base/schemas/tool-schema.ts'
import { type FuzzTarget, requireLaw } from '../fuzz-target.ts'

/** The schema of a server's tool, as JSON. */
export const schemas: FuzzTarget = {
  name: 'schemas',
  seeds: [
    '{"type":"object","properties":{"a":{"type":"string"},"$filter":{"type":"number","default":null}},"required":["a","$filter"]}',
    '{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"$ref":"#/$defs/b"}],"$defs":{"b":{"type":"object","properties":{"c d":{"enum":["x",null]}}}}}',
    '{"$ref":"#/definitions/a","definitions":{"a":{"allOf":[{"properties":{"x":true}},{"oneOf":[{"required":["x"]},{"not":{}}]}]}}}',
    '{"type":["object","null"],"properties":null,"required":null,"additionalProperties":{"$ref":"#"},"enum":[{}]}',
    '{"type":"string"}',
  ],
  run(input) {
    let given: JsonValue
    try {
      given = JSON.parse(input.toString())
    } catch {
      return
    }
    if (!isJsonObject(given)) return
    const { schema, renamed } = offerSchema(given)
    const body = JSON.stringify({ tools: [{ name: 'mcp__a__b', input_schema: schema }], messages: [] })
    const complaint = complaintAbout('messages', body)
    requireLaw(complaint === null, `a maker takes the schema: ${complaint}`)
    const own = withOwnKeys(Object.fromEntries([...renamed.keys()].map((key) => [key, 1])), renamed)
    requireLaw(Object.keys(own).length === renamed.size, 'the server gets each of its keys')
  },
}
