/**
 * Letters of other scripts that look like a Latin letter, each followed by that letter. From the confusables of Unicode
 * Technical Standard #39, reduced to single letters of alphabets.
 */
export const lookAlikes: Readonly<Record<string, string>> = {
  Cyrillic:
    'АA ВB СC ЕE ԌG НH ЈJ КK МM ОO РP ЅS ТT ѴV ԜW ХX УY ҮY аa Ьb сc ԁd еe ҽe һh іi ꙇi ӏi јj Іl Ӏl оo рp ԛq гr ѕs ѵv ѡw ԝw хx уy үy',
  Greek: 'ΑA ΒB ϹC ΕE ϜF ΗH ͿJ ΚK ΜM ϺM ΝN ΟO ΡP ΤT ΧX ΥY ϒY ΖZ αa ϲc ιi ιi ͺi ϳj Ιl οo σo ρp ϱp ᴦr υu νv γy',
  Coptic: 'ⲤC ⲎH ⲔK ⳐL ⲘM ⲚN ⲞO ⲢP ⲦT ⲬX ⲨY ⲥc Ⲓl ⲟo ⲣp ⲅr',
  Armenian: 'ՕO ՏS ՍU քf ցg հh ոn ռn օo գq զq սu աw',
  Cherokee: 'ᎪA ᏴB ᏟC ᎠD ᎬE ᏀG ᏳG ᎻH ᎫJ ᏦK ᏞL ᎷM ᏢP ᎡR ᏒR ᏕS ᏚS ᎢT ᏙV ᎳW ᏔW ᎩY ᎽY ᏃZ Ꮟb ꮯc Ꮷd Ꮒh ꭵi Ꭵi ꮁr ꮪs ꮩv ꮃw ꮓz',
  Lisu: 'ꓮA ꓐB ꓚC ꓓD ꓰE ꓝF ꓖG ꓧH ꓙJ ꓗK ꓡL ꓟM ꓠN ꓳO ꓑP ꓣR ꓢS ꓔT ꓴU ꓦV ꓪW ꓫX ꓬY ꓜZ ꓒd ꓲl',
  Georgian: 'ჿo ყy',
  Canadian_Aboriginal: 'ᗅA ᗷB ᗞD ᗪD ᖴF ᕼH ᒍJ ᒪL ᗰM ᑭP ᖇR ᑌU ᐯV ᑲb ᖯb ᑯd ᕁx ᕽx',
  Tifinagh: 'ⴹE ⵔO ⵕQ ⴸV ⵝX ⵏl',
  Deseret: '𐐕C 𐐛L 𐐄O 𐐠S 𐐽c 𐐬o 𐑈s',
  Osage: '𐓂O 𐒴R 𐓎U 𐓪o 𐓶u',
  Warang_Citi: '𑢦E 𑢮E 𑣂F 𑢢F 𑢣L 𑢲L 𑢵O 𑢼T 𑢸U 𑢠V 𑢤Y 𑢩Z 𑣃i 𑣈o 𑣗o 𑣁s 𑣘u 𑣀v 𑣜y 𑣄z',
  Miao: '𖽀A 𖼖L 𖼵R 𖼺S 𖼊T 𖽂U 𖼈V 𖽃Y 𖼨l',
  Old_Italic: '𐌁B 𐌂C 𐌑M 𐌕T 𐌗X 𐌉l',
  Lycian: '𐊂B 𐊆E 𐊇F 𐊒O 𐊕P 𐊖S 𐊗T 𐊐X 𐊊l',
  Carian: '𐊠A 𐊡B 𐊢C 𐊥F 𐋏H 𐊰M 𐊫O 𐊱T 𐊴X 𐊲Y',
  Elbasan: '𐔜C 𐔥F 𐔘K 𐔦L 𐔓N 𐔖O 𐔝V 𐔧X',
  Runic: 'ᛕK ᛖM ᚷX ᛁl',
}
