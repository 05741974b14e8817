/** A PDF with one line of text for each string, on a page for each list. A page without lines holds no text. */
export function pdfOf(...pages: readonly (readonly string[])[]): Uint8Array {
  const objects: string[] = ['<</Type/Catalog/Pages 2 0 R>>']
  const kids = pages.map((_, index) => `${4 + index * 2} 0 R`).join(' ')
  objects.push(`<</Type/Pages/Kids[${kids}]/Count ${pages.length}>>`)
  objects.push('<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>')
  for (const [index, lines] of pages.entries()) {
    const drawn = lines.map((line) => `(${line.replace(/[()\\]/g, '\\$&')}) Tj 0 -20 Td`).join(' ')
    const stream = `BT /F1 12 Tf 20 150 Td ${drawn} ET`
    const resources = '/Resources<</Font<</F1 3 0 R>>>>'
    objects.push(`<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents ${5 + index * 2} 0 R${resources}>>`)
    objects.push(`<</Length ${stream.length}>>\nstream\n${stream}\nendstream`)
  }
  let text = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const head = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`
  const trailer = `trailer\n<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`
  return new TextEncoder().encode(`${text}${head}${trailer}`)
}
