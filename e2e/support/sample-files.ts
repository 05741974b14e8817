import { deflateSync } from 'node:zlib'

/** A PNG of one colour. */
export function png(width: number, height: number, grey: number): Buffer {
  const chunk = (kind: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(kind), data])
    const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    size.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc(body))
    return Buffer.concat([size, body, sum])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head[8] = 8
  const rows = Buffer.alloc((width + 1) * height, grey)
  for (let row = 0; row < height; row++) rows[row * (width + 1)] = 0
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function crc(bytes: Buffer): number {
  let sum = ~0
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1
  }
  return ~sum >>> 0
}

/** Markup that must be shown and never act. `http://evil.test` must never get a request. */
export const evil = '<script>alert(1)</script><img src=x onerror=alert(1)><img src="http://evil.test/a.png">'
/** A drawing of 40 by 30 pixels that tries to act. */
export const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30" onload="alert(1)"><script>alert(1)</script><image href="http://evil.test/b.png"/><foreignObject><img xmlns="http://www.w3.org/1999/xhtml" src="http://evil.test/e.png" onerror="alert(1)"/></foreignObject><rect width="40" height="30"/></svg>`
/** A notebook of two cells. The second has this source and three outputs. */
export const notebook = (source: string) =>
  JSON.stringify({
    cells: [
      { cell_type: 'markdown', id: 'a', source: ['# Same'] },
      {
        cell_type: 'code',
        id: 'b',
        source: [source],
        outputs: [
          { output_type: 'stream', text: ['printed ', evil] },
          { output_type: 'display_data', data: { 'image/png': png(3, 3, 9).toString('base64') } },
          { output_type: 'display_data', data: { 'text/html': evil } },
        ],
      },
    ],
  })
/** A document of one page that says "Hello PDF" and tries to act. */
export const pdf = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>/Annots[<</Type/Annot/Subtype/Link/Rect[0 0 99 99]/A<</S/URI/URI(http://evil.test/c)>>>>]>>endobj
4 0 obj<</Length 37>>stream
BT /F 18 Tf 10 50 Td (Hello PDF) Tj ET
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>`
