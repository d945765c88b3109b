/** Names and addresses for demo data. They are plausible for the company's country and belong to nobody. */
import type { Random } from './chance.ts'

const first = {
  en: 'Alice Amir Andrea Ben Bruno Carla Cecilia Daniel Diego Elena Emma Farid Grace Hana Henry Ivan Jack Jane Joel Julia Kenji Laura Leon Linda Marcus Maria Mei Miguel Nadia Nora Oscar Owen Paula Peter Rosa Ruth Samuel Sofia Theo Tina Victor Wendy'.split(
    ' ',
  ),
  de: 'Anja Ayşe Barbara Bernd Björn Christa Claudia Dieter Doris Elif Emre Erika Felix Frauke Gerd Günter Hanna Heike Ines Jörg Jürgen Karin Katja Klaus Lena Lukas Malte Marlene Martin Nadine Olaf Petra Ralf Rüdiger Sabine Silke Sören Stefan Susanne Thomas Ulrike Uwe'.split(
    ' ',
  ),
}
const last = {
  en: 'Abbott Alvarez Andersen Baker Barnes Bennett Brooks Carter Castillo Chen Cole Cooper Cruz Dalton Davies Ellis Farrell Fisher Foster Garcia Grant Greene Hale Hansen Harper Hayes Hughes Iverson Jensen Keller Kim Lambert Larsen Lopez Lund Marsh Mason Mercer Miller Morgan Nakamura Nguyen Novak Olsen Ortiz Parker Patel Perry Porter Quinn Ramos Reed Rossi Sato Shaw Silva Stone Tanner Turner Vega Walsh Warren Weber West Wong Young'.split(
    ' ',
  ),
  de: 'Albers Bäcker Bauer Becker Böhm Brandt Busch Dahmen Decker Dietz Ebert Engels Esser Fischer Förster Franke Friedrich Fuchs Geiger Gerber Görtz Graf Groß Günther Haas Hahn Hansen Heinrich Hermanns Hoffmann Jäger Jansen Kaiser Kaya Keller Klein Köhler Krämer Krüger Kühn Lang Lehmann Lorenz Maurer Meyer Möller Müller Neumann Öztürk Peters Pohl Reuter Richter Ritter Roth Schäfer Schmitz Schröder Schulte Schütz Seidel Simon Sommer Stein Vogel Wagner Weiß Werner Winkler Yılmaz Zimmermann'.split(
    ' ',
  ),
}
const streets = {
  en: [
    'Pine Street',
    'Harbor Avenue',
    'Union Street',
    'Market Street',
    'Rainier Avenue',
    'Lake View Drive',
    'Mill Road',
    'Cedar Lane',
  ],
  de: ['Hauptstraße', 'Venloer Straße', 'Bahnhofstraße', 'Am Markt', 'Lindenallee', 'Brüsseler Platz', 'Gartenweg', 'Rheinufer'],
}
const cities = {
  en: [
    'Seattle, WA 98101',
    'Tacoma, WA 98402',
    'Bellevue, WA 98004',
    'Everett, WA 98201',
    'Olympia, WA 98501',
    'Portland, OR 97201',
  ],
  de: [
    '50667 Köln',
    '53111 Bonn',
    '40213 Düsseldorf',
    '52062 Aachen',
    '51465 Bergisch Gladbach',
    '41460 Neuss',
    '44135 Dortmund',
  ],
}

/** Random names and addresses of one language. */
export interface Names {
  /** First and last name. */
  person(): string
  surname(): string
  /** City without its postal code. */
  city(): string
  /** Postal address in two lines. */
  address(): string
}

export const namesIn = (language: 'en' | 'de', random: Random): Names => ({
  person: () => `${random.pick(first[language])} ${random.pick(last[language])}`,
  surname: () => random.pick(last[language]),
  city: () => random.pick(cities[language]).replace(/, .*|^\d+ /, ''),
  address() {
    const [street, number] = [random.pick(streets[language]), random.whole(1, language === 'de' ? 140 : 4200)]
    return `${language === 'de' ? `${street} ${number}` : `${number} ${street}`}\n${random.pick(cities[language])}`
  },
})
