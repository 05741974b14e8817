import { readFileSync } from 'node:fs'
import { format } from './format.js'
import { parse } from './parse.js'
import { total } from './total.js'

const [file = 'data/january.txt'] = process.argv.slice(2)
console.log(format(total(parse(readFileSync(file, 'utf8')))))
