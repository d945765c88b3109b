/** Contents of the demo's documents. */
export interface Paper {
  /** Index of the category; null for none. */
  category: number | null
  title: string
  file: string
  text: string
}

export const papers: { en: Paper[]; de: Paper[] } = {
  en: [
    {
      category: 0,
      title: 'Framework agreement',
      file: 'framework-agreement.txt',
      text: `FRAMEWORK AGREEMENT\n\n1. The supplier delivers what is ordered by noon on Tuesdays and Fridays.\n2. Prices hold for a quarter and are announced two weeks ahead.\n3. What comes damaged is credited within ten days.\n4. Either party may end this agreement with three months' notice.`,
    },
    {
      category: 0,
      title: 'Terms of delivery',
      file: 'terms-of-delivery.txt',
      text: `TERMS OF DELIVERY\n\nChilled goods travel at 2 to 7 degrees. The driver shows the recorder on request.\nPallets are exchanged on arrival or charged at $12 each.`,
    },
    {
      category: 1,
      title: 'Delivery note',
      file: 'delivery-note.txt',
      text: `DELIVERY NOTE\n\n14 crates of apples, 4 kg\n6 sacks of flour, 25 kg\n2 boxes of basil\n\nReceived complete, one crate bruised.`,
    },
    {
      category: 2,
      title: 'Price list',
      file: 'price-list.csv',
      text: `item,unit,price\n"Apples, Honeycrisp",12 kg box,31.40\n"Flour, bread",25 kg sack,24.90\n"Olive oil, extra virgin",6 x 1 l,58.00\n"Smoked salmon",8 x 400 g,96.50`,
    },
    {
      category: 3,
      title: 'Organic certificate',
      file: 'organic-certificate.txt',
      text: `CERTIFICATE\n\nThe handling of organic produce at 2817 Milton Drive, Seattle, was inspected and found to follow the rules.\nNext inspection within twelve months.`,
    },
    {
      category: null,
      title: 'Minutes of the meeting',
      file: 'minutes.txt',
      text: `MINUTES\n\nPresent: purchasing, warehouse, sales.\n- The cold store gets a second door.\n- The spring catalogue goes out in the second week of March.\n- Somebody looks after the labels.`,
    },
  ],
  de: [
    {
      category: 0,
      title: 'Wartungsvertrag Siebträger',
      file: 'wartungsvertrag.txt',
      text: `WARTUNGSVERTRAG\n\n§ 1 Die Rösterei wartet die Maschine zweimal im Jahr, im März und im September.\n§ 2 Dichtungen und Siebe sind im Preis enthalten.\n§ 3 Bei Störungen kommt sie innerhalb von zwei Werktagen.`,
    },
    {
      category: 0,
      title: 'Liefervereinbarung',
      file: 'liefervereinbarung.txt',
      text: `LIEFERVEREINBARUNG\n\nGeröstet wird montags, geliefert dienstags und freitags vor zehn Uhr.\nLeere Säcke werden zurückgenommen.`,
    },
    {
      category: 1,
      title: 'Lieferschein',
      file: 'lieferschein.txt',
      text: `LIEFERSCHEIN\n\n12 × Espresso „Süden“, 1 kg\n6 × Äthiopien Sidamo, 250 g\n2 × Entkalker\n\nVollständig erhalten.`,
    },
    {
      category: 2,
      title: 'Preisliste Gastronomie',
      file: 'preisliste.csv',
      text: `Artikel;Einheit;Preis\nEspresso „Süden“;1 kg;24,90\nHausmischung „Veedel“;1 kg;22,50\nÄthiopien Sidamo;1 kg;29,80`,
    },
    {
      category: 3,
      title: 'Bio-Zertifikat',
      file: 'bio-zertifikat.txt',
      text: `BESCHEINIGUNG\n\nDie Rösterei in der Körnerstraße 42 in Köln verarbeitet ökologisch angebauten Kaffee nach den geltenden Regeln.\nNächste Kontrolle innerhalb von zwölf Monaten.`,
    },
    {
      category: null,
      title: 'Protokoll der Verkostung',
      file: 'verkostung.txt',
      text: `VERKOSTUNG\n\nKolumbien Huila: Pflaume, Kakao, lang im Abgang. 86 Punkte.\nIndien: erdig, wenig Säure, gut für die Mischung. 82 Punkte.\nBeschluss: 20 Sack Huila bestellen.`,
    },
  ],
}
