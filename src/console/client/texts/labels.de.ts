/**
 * What the API calls fields, states, actions and modules, in German: texts as data, by the English words. What is missing stays as it is, so a
 * new module is usable before somebody has translated it.
 */
export const labels: Record<string, string> = Object.fromEntries(
  `
Name|Name
Created at|Angelegt am
Updated at|Geändert am
Deleted at|Gelöscht am
Status|Status
How many|Anzahl
Email|E-Mail
Email address|E-Mail-Adresse
External ID|Externe Kennung
ID|Nummer
Creator|Angelegt von
Created by|Angelegt von
Active|Aktiv
Inactive|Inaktiv
Body|Text
Assigned to|Zuständig
Assignee|Zuständig
Assign|Zuweisen
Company|Firma
Companies|Firmen
company|Firma
Title|Titel
Notes|Notizen
Note|Notiz
Description|Beschreibung
Contact|Kontakt
Contacts|Kontakte
contact|Kontakt
Currency|Währung
Type|Art
Kind|Art
Sort order|Reihenfolge
User|Benutzer
Users|Benutzer
user|Benutzer
None|Keine
Latest note|Letzte Notiz
Update|Ändern
Number|Nummer
Draft|Entwurf
Export|Export
Action|Aktion
Phone|Telefon
Product|Produkt
Products|Produkte
product|Produkt
Filter|Filter
Filters|Filter
Delete|Löschen
Restore|Wiederherstellen
Changes|Änderungen
Changed|Geändert
Amount|Betrag
Invoice|Rechnung
Invoices|Rechnungen
invoice|Rechnung
Category|Kategorie
Tax rate|Steuersatz
Cancelled|Storniert
Employee|Mitarbeiter
Employees|Mitarbeiter
E-mails|E-Mails
User impersonations|Vertretungen
user impersonation|Vertretung
Scopes|Rechte
Allowed networks|Erlaubte Netze
Transfers|Umlagerungen
Stages|Phasen
Subscriptions|Abonnements
Payment gateways|Zahlungsanbieter
Workspaces|Arbeitsbereiche
employee|Mitarbeiter
Quantity|Menge
Actor|Wer
Address|Adresse
Lines|Positionen
Reason|Grund
Sent|Versendet
Unit price|Einzelpreis
Unit|Einheit
Unit code|Einheit
Properties|Angaben
Tax ID|Steuernummer
Tax number|Steuernummer
VAT ID|USt-IdNr.
E-invoice address|E-Rechnungs-Adresse
Person|Person
Firm|Firma
Workspace|Arbeitsbereich
Address, printed on documents|Anschrift auf Dokumenten
Telephone, printed on documents|Telefon auf Dokumenten
E-mail address, printed on documents; replies to mailed documents go there|E-Mail-Adresse auf Dokumenten; Antworten gehen dorthin
Tax registration id, printed on documents|Steuernummer auf Dokumenten
Colour of documents and mails|Farbe von Dokumenten und Mails
Line at the foot of documents|Zeile am Fuß von Dokumenten
Round tax on each line, or once per rate on the document|Steuer je Zeile oder je Satz runden
Timezone|Zeitzone
Locale|Sprache und Region
Delivery and references|Lieferung und Referenzen
Amount credited|Gutgeschrieben
Exclude from reminders|Nicht erinnern
Company name|Firmenname
Dates and currency|Daten und Währung
Amounts|Beträge
Repeats|Wiederholung
Invoicing|Rechnungsstellung
Employment|Anstellung
Price|Preis
Stock|Lager
Default|Standard
Activities|Verlauf
Client|Programm
Lost|Verloren
Won|Gewonnen
Subject|Betreff
Line discount type|Rabattart
Percent|Prozent
Fixed|Fest
Completed|Abgeschlossen
Opportunity|Verkaufschance
Opportunities|Verkaufschancen
opportunity|Verkaufschance
Total|Gesamt
Subtotal|Zwischensumme
Stage|Phase
Project|Projekt
Projects|Projekte
project|Projekt
Issued document|Ausgestelltes Dokument
Issued documents|Ausgestellte Dokumente
Vendor|Lieferant
Vendors|Lieferanten
vendor|Lieferant
Lead|Lead
Leads|Leads
lead|Lead
Buyer reference|Käuferreferenz
Message|Nachricht
Code|Code
Website|Website
PDF|PDF
Tax total|Steuer gesamt
Tax amount|Steuerbetrag
Tax|Steuer
Tax category|Steuerkategorie
Tax breakdown|Steuern
Discount value|Rabatt
Discount amount|Rabattbetrag
Discount total|Rabatt gesamt
Failed|Fehlgeschlagen
Expires at|Läuft ab am
Reference|Referenz
Check in|Einchecken
Check out|Auschecken
Other|Andere
Remote|Von unterwegs
On site|Vor Ort
Expired|Abgelaufen
Received|Erhalten
Partially received|Teilweise erhalten
Accepted|Angenommen
Rejected|Abgelehnt
Declined|Abgelehnt
On hold|Angehalten
To|An
From|Von
Issue date|Ausstellungsdatum
Issued on|Ausgestellt am
Issued at|Ausgestellt am
Due date|Fällig am
Due on|Fällig am
Due at|Fällig am
Color|Farbe
Shared|Geteilt
Contract|Vertrag
Contracts|Verträge
contract|Vertrag
Terms and conditions|Bedingungen
Customers and sales|Kunden und Verkauf
Account|Konto
Street|Straße
Postcode|Postleitzahl
City|Ort
Country|Land
Region|Region
Job title|Position
Starts on|Beginnt am
Ends on|Endet am
File|Datei
File name|Dateiname
Queued|Wartet
Waiting|Wartet
Body html|Text
Valid until|Gültig bis
Paid|Bezahlt
Unpaid|Offen
Partial|Teilweise bezahlt
Overdue|Überfällig
Purchase order|Bestellung
Purchase orders|Bestellungen
purchase order|Bestellung
Closed|Geschlossen
Role|Rolle
Roles|Rollen
Permission matrix|Rechtematrix
Overview|Übersicht
role|Rolle
Change the status|Status ändern
Language|Sprache
Languages|Sprachen
Delivery date|Lieferdatum
Expected date|Erwartet am
Order date|Bestellt am
Net|Netto
Warehouse|Lager
Warehouses|Lager
warehouse|Lager
From warehouse|Aus Lager
To warehouse|In Lager
Available|Verfügbar
In use|In Gebrauch
In repair|In Reparatur
Retired|Ausgemustert
Date|Datum
Balance due|Offener Betrag
Amount paid|Bezahlter Betrag
Error|Fehler
Credit note|Gutschrift
Credit notes|Gutschriften
credit note|Gutschrift
Payment|Zahlung
Payments|Zahlungen
payment|Zahlung
Low|Niedrig
Medium|Mittel
High|Hoch
Urgent|Dringend
Quotation|Angebot
Quotations|Angebote
quotation|Angebot
Estimate|Kostenvoranschlag
Estimates|Kostenvoranschläge
estimate|Kostenvoranschlag
Pending|Ausstehend
Method|Zahlungsart
Cash|Bar
Bank transfer|Überweisung
Card|Karte
Cheque|Scheck
Commission rate|Provision
Open|Offen
Todo|Zu tun
In progress|In Arbeit
Done|Erledigt
Finance|Finanzen
Purchasing and stock|Einkauf und Lager
Work|Arbeit
People|Personal
Communication|Kommunikation
Inbox|Posteingang
Tasks|Aufgaben
Task|Aufgabe
task|Aufgabe
Present|Anwesend
Absent|Abwesend
Half day|Halber Tag
Late|Verspätet
Work mode|Arbeitsort
Send|Senden
Variables|Platzhalter
Department|Abteilung
Departments|Abteilungen
department|Abteilung
Employment type|Anstellung
Full time|Vollzeit
Part time|Teilzeit
Intern|Praktikum
Reorder level|Meldebestand
Recurring|Wiederkehrend
Paid at|Bezahlt am
Archived|Archiviert
Source|Quelle
Priority|Priorität
Tags|Schlagworte
Probability|Wahrscheinlichkeit
Expected close date|Abschluss erwartet
Track stock|Bestand führen
Planned|Geplant
Members|Mitglieder
Assets|Inventar
Asset|Gegenstand
asset|Gegenstand
Last used at|Zuletzt benutzt
Serial number|Seriennummer
Location|Standort
Purchase date|Gekauft am
Purchase price|Kaufpreis
Industry|Branche
Terminated|Gekündigt
Value|Wert
Lead value|Wert
Lead type|Art
Total lead value|Wert aller Leads
Follow-up|Wiedervorlage
Follow-ups|Wiedervorlagen
Tag|Schlagwort
Today|Heute
Upcoming|Später
Due|Fällig
Direct|Direkt
Managers|Leitung
First name|Vorname
Last name|Nachname
Hire date|Eingestellt am
Convert|Umwandeln
Approved|Genehmigt
Expense|Ausgabe
Expenses|Ausgaben
expense|Ausgabe
Expense date|Ausgabe am
Expense categories|Ausgabenarten
expense category|Ausgabenart
Started at|Begonnen am
Finished at|Beendet am
Reseller|Wiederverkäufer
Resellers|Wiederverkäufer
reseller|Wiederverkäufer
Weekly|Wöchentlich
Monthly|Monatlich
Quarterly|Vierteljährlich
Semi annually|Halbjährlich
Yearly|Jährlich
Posted|Gebucht
Permissions|Berechtigungen
Layout|Darstellung
Board|Tafel
List|Liste
Columns|Spalten
Sort|Sortierung
Direction|Richtung
Suspended at|Gesperrt am
Suspended|Gesperrt
Rotate|Erneuern
Preview|Vorschau
Accept|Annehmen
Decline|Ablehnen
Reject|Ablehnen
Issued|Ausgestellt
Issue|Ausstellen
Void|Stornieren
Voided|Storniert
Cancel|Stornieren
Expire|Ablaufen lassen
Receive|Annehmen
Close|Schließen
Reopen|Wieder öffnen
Complete|Abschließen
Dispatch|Versenden
In transit|Unterwegs
Apply|Anrechnen
Allocate|Zuordnen
Run|Starten
Undo|Rückgängig
Test|Testen
Sync|Abgleichen
Suspend|Sperren
Unsuspend|Entsperren
Ignore|Ignorieren
Match|Zuordnen
Unmatch|Zuordnung lösen
Download|Herunterladen
Make an acceptance link|Link zum Annehmen
Make a pay link|Link zum Bezahlen
Remind a customer|Kunden erinnern
Stop the recurrence|Wiederholung beenden
Pause the reminders|Erinnerungen anhalten
Resume the reminders|Erinnerungen fortsetzen
Make an employee|Zum Mitarbeiter machen
Make an expense|Ausgabe anlegen
Move to another stage|In andere Phase
Change the tags|Schlagworte ändern
Change the members|Mitglieder ändern
Resend invite|Erneut einladen
Verify email|Adresse bestätigen
Impersonate|Als diese Person arbeiten
Failed records|Fehlerhafte Zeilen
Signed document|Unterschriebenes Dokument
E invoice|E-Rechnung
API keys|API-Schlüssel
API key|API-Schlüssel
Audit log|Protokoll
Communication templates|Textvorlagen
communication template|Textvorlage
Document texts|Texte der Dokumente
Documents|Dokumente
document|Dokument
Document categories|Dokumentarten
document category|Dokumentart
Files|Dateien
Imports|Importe
import|Import
Notifications|Benachrichtigungen
Saved views|Gespeicherte Ansichten
saved view|Gespeicherte Ansicht
Service accounts|Dienstkonten
service account|Dienstkonto
Short links|Kurzlinks
short link|Kurzlink
Attendance|Anwesenheit
Attendance records|Anwesenheiten
attendance record|Anwesenheit
Attendance reasons|Abwesenheitsgründe
attendance reason|Abwesenheitsgrund
Inventory|Lager
Inventory stock|Bestand
Stock movements|Lagerbewegungen
stock movement|Lagerbewegung
Stock transfers|Umlagerungen
stock transfer|Umlagerung
Incoming invoices|Eingangsrechnungen
incoming invoice|Eingangsrechnung
Lead stages|Phasen der Leads
lead stage|Phase
Lead tags|Schlagworte der Leads
lead tag|Schlagwort
Lead imports|Importe von Leads
lead import|Import
Lead webhook endpoints|Zugänge für Leads
lead webhook endpoint|Zugang
Opportunity stages|Phasen der Chancen
opportunity stage|Phase
Reminder plans|Mahnpläne
reminder plan|Mahnplan
Bank statements|Kontoauszüge
bank statement|Kontoauszug
Bank transactions|Kontobewegungen
bank transaction|Kontobewegung
Email accounts|E-Mail-Konten
email account|E-Mail-Konto
Email templates|E-Mail-Vorlagen
email template|E-Mail-Vorlage
Email signatures|Signaturen
email signature|Signatur
Webhook endpoints|Webhook-Adressen
webhook endpoint|Webhook-Adresse
Settings|Einstellungen
Search|Suche
E-mail|E-Mail
Customer|Kunde
Owner|Inhaber
Low stock|Knapp
On hand|Vorhanden
Balance after|Bestand danach
My contacts|Meine Kontakte
My companies|Meine Firmen
My contracts|Meine Verträge
My estimates|Meine Kostenvoranschläge
My expenses|Meine Ausgaben
My invoices|Meine Rechnungen
My leads|Meine Leads
My opportunities|Meine Verkaufschancen
My projects|Meine Projekte
My purchase orders|Meine Bestellungen
My quotations|Meine Angebote
My tasks|Meine Aufgaben
Date from|Von
Date to|Bis
Reminder|Mahnung
Reminders|Mahnungen
Seller name|Verkäufer
Amount due|Offener Betrag
Valid|Gültig
Follow ups|Wiedervorlagen
Assignment history|Zuweisungen
Account holder|Kontoinhaber
Opening balance|Anfangssaldo
Closing balance|Endsaldo
Booked on|Gebucht am
Value date|Wertstellung
Link|Link
Campaign|Kampagne
Click count|Klicks
Destination URL|Ziel
Short URL|Kurzadresse
Prefix|Anfang
Start|Beginnen
Finish|Erledigen
Activate|Aktivieren
Put on hold|Anhalten
Settle|Als bezahlt vermerken
Terminate|Kündigen
Retire|Ausmustern
Repair|Zur Reparatur geben
Report lost|Als verloren melden
Put away|Zurücklegen
Put to use|In Gebrauch nehmen
Approve|Genehmigen
Pay|Als bezahlt vermerken
Contracts that await a signature|Verträge, die auf eine Unterschrift warten
Estimates that await an answer|Kostenvoranschläge, die auf Antwort warten
Quotations that await an answer|Angebote, die auf Antwort warten
Transfers in transit|Umlagerungen unterwegs
Unpaid invoices|Offene Rechnungen
Overdue invoices|Überfällige Rechnungen
Active projects|Laufende Projekte
Overdue projects|Überfällige Projekte
Purchase orders on their way|Bestellungen unterwegs
Purchase orders partly received|Teilweise erhaltene Bestellungen
My open tasks|Meine offenen Aufgaben
Payment methods|Zahlungsarten
`
    .trim()
    .split('\n')
    .map((line) => line.split('|')),
)
