/**
 * German names of the API's fields, states, actions and modules, by the English text. Missing ones stay in English, so that a new
 * module is usable before its translation.
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
Truncated|Gekürzt
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
Kept, not sent|Aufbewahrt, nicht versendet
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
Line|Je Zeile
Booked|Gebucht
Language of documents|Sprache der Dokumente
workspace|Arbeitsbereich
Workspace ID|Nummer des Arbeitsbereichs
Address on documents|Anschrift auf Dokumenten
Telephone on documents|Telefon auf Dokumenten
E-mail address on documents|E-Mail-Adresse auf Dokumenten
Tax registration id on documents|Steuernummer auf Dokumenten
Colour of documents and mails|Farbe von Dokumenten und Mails
Line at the foot of documents|Zeile am Fuß von Dokumenten
Where tax is rounded|Wo Steuer gerundet wird
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
Prepaid amount|Vorab gezahlt
Rounding amount|Rundung
Third party amount|Für Dritte eingezogen
Deposit amount|Als Anzahlung gebucht
Final invoice|Schlussrechnung
Media type|Dateityp
attachment|Anlage
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
Forwards query|Parameter weitergeben
Vcard|vCard
Ends next day|Endet am nächsten Tag
Break minutes|Pausen in Minuten
Attended minutes|Anwesend in Minuten
attended minutes|Anwesenheit in Minuten
break minutes|Pausen in Minuten
Other|Andere
Remote|Von unterwegs
On site|Vor Ort
Expired|Abgelaufen
Received|Erhalten
Partially received|Teilweise erhalten
Mark as partially received|Als teilweise erhalten vermerken
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
Bank CSV mappings|CSV-Zuordnungen
bank CSV mapping|CSV-Zuordnung
Account column|Spalte für das Konto
Amount column|Spalte für den Betrag
Bank reference column|Spalte für die Referenz der Bank
Booked on column|Spalte für den Buchungstag
Counterparty iban column|Spalte für die IBAN der Gegenpartei
Counterparty name column|Spalte für die Gegenpartei
Credit column|Spalte für Eingänge
Currency column|Spalte für die Währung
Date order|Reihenfolge des Datums
Debit column|Spalte für Ausgänge
Decimal sign|Dezimalzeichen
Delimiter|Trennzeichen
Encoding|Zeichensatz
End to end ID column|Spalte für die Ende-zu-Ende-Referenz
Further remittance column|Spalte für weiteren Text
Header row|Kopfzeile
Preview a CSV file of a bank|CSV-Datei einer Bank ansehen
Remittance column|Spalte für den Verwendungszweck
Sign column|Spalte für Eingang oder Ausgang
Value date column|Spalte für die Wertstellung
Bank charges|Bankgebühren
Return reason|Rückgabegrund
Return information|Angaben zur Rückgabe
Returned payment|Zurückgegebene Zahlung
By the file|Nach der Datei
CAMT.052|CAMT.052
CAMT.053|CAMT.053
CAMT.054|CAMT.054
MT940|MT940
CSV|CSV
Semicolon|Semikolon
Comma|Komma
Tab|Tabulator
Vertical bar|Senkrechter Strich
Point|Punkt
Day, month, year|Tag, Monat, Jahr
Month, day, year|Monat, Tag, Jahr
Year, month, day|Jahr, Monat, Tag
UTF-8|UTF-8
16-bit Unicode|Unicode mit 16 Bit
Windows-1252|Windows-1252
ISO 8859-15|ISO 8859-15
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
E-mail log|E-Mail-Protokoll
email log|E-Mail
Events|Ereignisse
Founding beta|Gründungs-Beta
beta application|Bewerbung
Marketplace|Marktplatz
Modules|Module
module|Modul
Module|Modul
Module catalogue|Modulkatalog
Modules on sale|Module im Verkauf
Module subscriptions|Abonnements
module subscription|Abonnement
Subscription|Abonnement
Operations|Betrieb
Platform roles|Rollen der Plattform
platform role|Rolle der Plattform
Platform users|Benutzer der Plattform
platform user|Benutzer der Plattform
Platform user|Benutzer der Plattform
System settings|Systemeinstellungen
Tenants|Arbeitsbereiche
Tenant|Arbeitsbereich
tenant|Arbeitsbereich
Billing|Abrechnung
Impersonation|Arbeit als Inhaber
Webhooks|Webhooks
payment gateway|Zahlungsanbieter
Invite users|Benutzer einladen
Last used IP|Zuletzt genutzt von IP
Revoked at|Widerrufen am
Rotate an API key|API-Schlüssel erneuern
Overlap hours|Stunden, die der alte noch gilt
Reviewing|In Prüfung
Invited|Eingeladen
Activated|Aktiviert
Internal notes|Interne Notizen
Invited at|Eingeladen am
Invite expires at|Einladung gilt bis
Has active invite|Einladung offen
Invite expired|Einladung abgelaufen
Activated at|Aktiviert am
Uuid|UUID
Invite|Einladen
Invite a beta application|Bewerbung einladen
Delivered|Zugestellt
Bounced|Zurückgewiesen
Complained|Als Spam gemeldet
Deferred|Verzögert
Opened|Geöffnet
Clicked|Angeklickt
Cc|Cc
Bcc|Bcc
Notification type|Art der Nachricht
Provider|Anbieter
Sent at|Gesendet am
Body text|Text ohne Formatierung
Open count|Geöffnet
Recipient|Empfänger
Permanent|Dauerhaft
Detail|Einzelheiten
Occurred at|Geschehen am
Resend|Erneut senden
Resend an email log|E-Mail erneut senden
Uncollectible|Abgeschrieben
Gateway|Zahlungsanbieter
Next attempt at|Nächster Versuch
Billing cycle|Abrechnung
Period start|Beginn des Zeitraums
Period end|Ende des Zeitraums
Published|Veröffentlicht
Key|Schlüssel
Version|Version
Availability|Verfügbarkeit
In-progress|In Arbeit
Requires|Braucht
Monthly price|Monatspreis
Yearly price|Jahrespreis
Default included|In jedem Arbeitsbereich
Billable|Wird berechnet
Already installed|Bereits installiert
Can cancel|Kündbar
Blocking dependents|Was davon abhängt
Dependencies|Was es braucht
Installed|Installiert
Trialing|In der Probezeit
Past due|Überfällig
Module key|Schlüssel des Moduls
Included|Inbegriffen
Purchased|Gekauft
Next cycle|Nächste Abrechnung
Cancel at period end|Endet mit dem Zeitraum
Ended at|Beendet am
History|Verlauf
Event|Ereignis
Trial ended|Probezeit beendet
Renewed|Verlängert
Cycle changed|Abrechnung geändert
Recovered|Wieder bezahlt
Cancellation planned|Kündigung vorgemerkt
Cancellation withdrawn|Kündigung zurückgenommen
Deactivated|Abgeschaltet
Cancel a module subscription|Abonnement kündigen
Immediately|Sofort
Resume|Fortsetzen
Resume a module subscription|Abonnement fortsetzen
Deactivate|Abschalten
Deactivate a module subscription|Abonnement abschalten
Enabled|Eingeschaltet
Mode|Betriebsart
Sandbox|Testumgebung
Live|Echtbetrieb
Configured|Eingerichtet
Last tested at|Zuletzt getestet
Enable|Einschalten
Enable a payment gateway|Zahlungsanbieter einschalten
Disable|Ausschalten
Disable a payment gateway|Zahlungsanbieter ausschalten
Make the default|Zum Standard machen
Make a payment gateway the default|Zahlungsanbieter zum Standard machen
Change the config|Zugangsdaten ändern
Change the config of a payment gateway|Zugangsdaten eines Zahlungsanbieters ändern
Credentials|Zugangsdaten
Change the mode|Betriebsart ändern
Change the mode of a payment gateway|Betriebsart eines Zahlungsanbieters ändern
Test connection|Verbindung testen
Test a payment gateway connection|Verbindung zu einem Zahlungsanbieter testen
Change the module prices|Preise der Module ändern
Change the module prices of a payment gateway|Preise der Module bei einem Zahlungsanbieter ändern
Mappings|Zuordnungen
Module ID|Nummer des Moduls
Monthly price ID|Monatspreis beim Anbieter
Yearly price ID|Jahrespreis beim Anbieter
Logs|Protokoll
log|Eintrag
Success|Erfolg
Webhook logs|Aufrufe des Webhooks
webhook log|Aufruf
Event ID|Nummer des Ereignisses
Outcome|Ergebnis
Deliveries|Zustellungen
Succeeded|Erfolgreich
Charge|Abbuchung
Checkout|Auf der Seite des Anbieters
Credit|Guthaben
Amount refunded|Erstattet
Failure code|Fehlercode
Failure message|Warum es scheiterte
Settled at|Abgeschlossen am
Protected|Geschützt
Users count|Benutzer
Group|Gruppe
Assigned|Zugewiesen
Clone|Kopieren
Clone a role|Rolle kopieren
Suspend a service account|Dienstkonto sperren
Unsuspend a service account|Dienstkonto entsperren
Keys|Schlüssel
key|Schlüssel
Rotate a key|Schlüssel erneuern
Rotate a key of a service account|Schlüssel eines Dienstkontos erneuern
Workspace name|Name des Arbeitsbereichs
Slug|Kurzname
Archived at|Archiviert am
Domain|Domain
Logo path|Ablage des Logos
Logo URL|Adresse des Logos
Storage allowance bytes|Speicherplatz in Bytes
Storage used bytes|Belegter Speicherplatz in Bytes
Email verified at|E-Mail bestätigt am
Installed modules|Installierte Module
Installed at|Installiert am
Owner name|Name des Inhabers
Owner email|E-Mail des Inhabers
Owner password|Passwort des Inhabers
Logo|Logo
Say that TLS is live for the domain of a workspace|TLS der Domain als eingerichtet melden
Archive|Archivieren
Unarchive|Wieder öffnen
Verify owner|Inhaber bestätigen
Install a module|Modul installieren
Impersonation sessions|Sitzungen als Inhaber
impersonation session|Sitzung als Inhaber
Tenant ID|Nummer des Arbeitsbereichs
Admin|Wer es war
IP|IP-Adresse
User agent|Browser
Duration seconds|Dauer in Sekunden
Audit logs|Prüfprotokoll
audit log|Eintrag
Impersonator|An deren Stelle
Pending email|Neue E-Mail-Adresse
Invite sent at|Einladung gesendet am
Password|Passwort
Password confirmation|Passwort noch einmal
Suspend a user|Benutzer sperren
Unsuspend a user|Benutzer entsperren
Change password|Passwort ändern
Change a user password|Passwort eines Benutzers ändern
Resend a user invite|Einladung erneut senden
Verify a user email|E-Mail eines Benutzers bestätigen
Activity|Aktivität
activity|Eintrag
URL|Adresse
Types|Arten
Failing since|Scheitert seit
Disabled reason|Warum ausgeschaltet
Rotate a webhook endpoint|Geheimnis einer Webhook-Adresse erneuern
Test a webhook endpoint|Webhook-Adresse testen
Replay|Erneut melden
Replay a webhook endpoint|Einer Webhook-Adresse erneut melden
delivery|Zustellung
General|Allgemein
Localization|Schreibweisen
Mail|E-Mail
Branding|Auftritt
Security|Sicherheit
Maintenance|Wartung
Name of the service|Name des Dienstes
Who runs it|Betreiber
Anybody may register a workspace|Alle dürfen einen Arbeitsbereich registrieren
Applications for the founding beta are taken|Bewerbungen für die Gründungs-Beta werden angenommen
Where to apply for the founding beta|Wo man sich für die Gründungs-Beta bewirbt
Days to use an invitation to the beta|Tage, in denen eine Einladung zur Beta gilt
How dates are written|Schreibweise von Daten
How times are written|Schreibweise von Uhrzeiten
Who delivers mail|Wer Mails zustellt
Sender address of system mail|Absenderadresse von Systemmails
Sender name of system mail|Absendername von Systemmails
SMTP server|SMTP-Server
Port of the SMTP server|Port des SMTP-Servers
Encryption to the SMTP server|Verschlüsselung zum SMTP-Server
User name at the SMTP server|Benutzername am SMTP-Server
Password at the SMTP server|Passwort am SMTP-Server
Postmark server token|Server-Token von Postmark
Domain at Mailgun from which mail is sent|Domain bei Mailgun, von der gesendet wird
API key of the Mailgun account|API-Schlüssel des Mailgun-Kontos
Where the Mailgun account lives|Region des Mailgun-Kontos
AWS region of SES|AWS-Region von SES
Id of the AWS access key for SES|Kennung des AWS-Zugriffsschlüssels für SES
Secret of that AWS access key|Geheimnis dieses AWS-Zugriffsschlüssels
SES configuration set|Konfigurationssatz von SES
SNS topic by which SES tells events|SNS-Thema, über das SES Ereignisse meldet
Secret of the provider's webhooks|Geheimnis der Webhooks des Anbieters
Events of mails that are kept|Ereignisse zu Mails, die aufbewahrt werden
Colour of buttons|Farbe von Schaltflächen
Where people find help|Wo es Hilfe gibt
Minutes that a session lasts|Minuten, die eine Sitzung dauert
Least length of passwords|Mindestlänge von Passwörtern
Passwords need a special character|Passwörter brauchen ein Sonderzeichen
The workspace API is closed|Arbeitsbereiche sind geschlossen
What its users are told|Was deren Leute lesen
When it opens again|Wann sie wieder öffnen
Prefix of the platform's invoice numbers|Anfang der Rechnungsnummern der Plattform
How parts of a period are charged|Abrechnung angebrochener Zeiträume
Gateway of new subscriptions|Zahlungsweg neuer Abonnements
Purchased modules begin with a trial of 14 days|Gekaufte Module beginnen mit 14 Tagen zur Probe
Stripe can be used|Stripe kann verwendet werden
Log|Protokoll
SMTP|SMTP
Postmark|Postmark
Mailgun|Mailgun
SES|SES
TLS|TLS
STARTTLS|STARTTLS
US|USA
EU|EU
Prorate|Anteilig
Attempts|Versuche
Response status|Status der Antwort
Response excerpt|Was geantwortet wurde
Duration ms|Dauer in ms
Delivered at|Zugestellt am
Retry a delivery|Zustellung wiederholen
Retry a delivery of a webhook endpoint|Zustellung an eine Webhook-Adresse wiederholen
Second factor turned on|Zweiter Faktor eingeschaltet
Second factor turned off|Zweiter Faktor ausgeschaltet
Recovery codes renewed|Wiederherstellungscodes erneuert
Passkey added|Passkey hinzugefügt
Passkey removed|Passkey entfernt
Passkey confirmed|Passkey bestätigt
Passkeys suspended|Passkeys gesperrt
API key created|API-Schlüssel angelegt
API key changed|API-Schlüssel geändert
API key rotated|API-Schlüssel erneuert
API key revoked|API-Schlüssel widerrufen
API key used from a new network|API-Schlüssel aus einem neuen Netz benutzt
Webhook endpoint created|Webhook-Adresse angelegt
Webhook endpoint changed|Webhook-Adresse geändert
Secret of a webhook endpoint rotated|Geheimnis einer Webhook-Adresse erneuert
Webhook endpoint deleted|Webhook-Adresse gelöscht
Webhook endpoint switched off|Webhook-Adresse ausgeschaltet
Account of the platform let in|Konto der Plattform eingelassen
Access and money opened to the platform|Zugang und Geld für die Plattform geöffnet
Access and money closed to the platform|Zugang und Geld für die Plattform geschlossen
Signed in|Angemeldet
Impersonation of a user started|Vertretung begonnen
Impersonation of a user ended|Vertretung beendet
Payment method set up|Zahlungsart eingerichtet
Branded domain claimed|Eigene Domain eingetragen
Branded domain verified|Eigene Domain bestätigt
Branded domain lost|Eigene Domain verloren
Branded domain removed|Eigene Domain entfernt
TLS of the branded domain set up|TLS der eigenen Domain eingerichtet
Impersonation of the owner started|Arbeit als Inhaber begonnen
Impersonation of the owner ended|Arbeit als Inhaber beendet
Mail with a secret read|Vertrauliche E-Mail gelesen
Workspace created|Arbeitsbereich angelegt
Workspace changed|Arbeitsbereich geändert
Workspace archived|Arbeitsbereich archiviert
Workspace opened again|Arbeitsbereich wieder geöffnet
Workspace deleted|Arbeitsbereich gelöscht
Workspace restored|Arbeitsbereich wiederhergestellt
Workspace deleted for good|Arbeitsbereich endgültig gelöscht
Owner verified|Inhaber bestätigt
Module installed|Modul installiert
System settings changed|Systemeinstellungen geändert
Test mail sent|Test-E-Mail gesendet
Module added to the catalogue|Modul in den Katalog aufgenommen
Module changed in the catalogue|Modul im Katalog geändert
Module deleted from the catalogue|Modul aus dem Katalog gelöscht
Module restored to the catalogue|Modul im Katalog wiederhergestellt
Module deleted from the catalogue for good|Modul endgültig aus dem Katalog gelöscht
Payment gateway set up|Zahlungsanbieter eingerichtet
Mode of a payment gateway changed|Betriebsart eines Zahlungsanbieters geändert
Payment gateway enabled|Zahlungsanbieter eingeschaltet
Payment gateway disabled|Zahlungsanbieter ausgeschaltet
Payment gateway made the default|Zahlungsanbieter zum Standard gemacht
Failed jobs retried|Gescheiterte Aufträge wiederholt
Failed jobs discarded|Gescheiterte Aufträge verworfen
Beta application judged|Bewerbung beurteilt
Beta applicant invited|Bewerber eingeladen
Platform user created|Benutzer der Plattform angelegt
Platform user invited|Benutzer der Plattform eingeladen
Platform user changed|Benutzer der Plattform geändert
Address of a platform user verified|Adresse eines Benutzers der Plattform bestätigt
Platform user suspended|Benutzer der Plattform gesperrt
Suspension of a platform user lifted|Benutzer der Plattform entsperrt
Platform user deleted|Benutzer der Plattform gelöscht
Platform user restored|Benutzer der Plattform wiederhergestellt
Platform user deleted for good|Benutzer der Plattform endgültig gelöscht
Password of a platform user reset|Passwort eines Benutzers der Plattform zurückgesetzt
Platform role created|Rolle der Plattform angelegt
Platform role changed|Rolle der Plattform geändert
Platform role deleted|Rolle der Plattform gelöscht
Service account created|Dienstkonto angelegt
Service account changed|Dienstkonto geändert
Service account suspended|Dienstkonto gesperrt
Suspension of a service account lifted|Dienstkonto entsperrt
Service account deleted|Dienstkonto gelöscht
Service account restored|Dienstkonto wiederhergestellt
Address to confirm|Adresse bestätigen
Change of an address|Änderung einer Adresse
New password|Neues Passwort
Invitation|Einladung
Invitation to the beta|Einladung zur Beta
Invoice of the platform|Rechnung der Plattform
Payment failed|Zahlung fehlgeschlagen
Test mail|Test-E-Mail
A mail came back|E-Mail kam zurück
Summary of one’s day|Persönliche Tagesübersicht
Summary of the team’s day|Tagesübersicht des Teams
Signed quotation|Unterschriebenes Angebot
Signed estimate|Unterschriebener Kostenvoranschlag
Signed contract|Unterschriebener Vertrag
S: standard rate|S: Regelsteuersatz
Z: zero rate|Z: Nullsatz
E: exempt|E: steuerbefreit
AE: reverse charge|AE: Steuerschuld beim Empfänger
K: intra-Community supply|K: innergemeinschaftliche Lieferung
G: export|G: Ausfuhr
O: outside the scope of tax|O: nicht steuerbar
Nobody: the log alone|Niemand: nur das Protokoll
An SMTP server|Ein SMTP-Server
New|Neu
Processed|Verarbeitet
Stripe|Stripe
Amazon SES|Amazon SES
USA|USA
UBL|UBL
CII|CII
SSL|SSL
In|Zugang
Out|Abgang
Adjust|Korrektur
Transfer out|Umlagerung, Abgang
Transfer in|Umlagerung, Zugang
Check in late|Verspätet eingecheckt
Typed|Getippt
Drawn|Gezeichnet
DNS pending|DNS-Einträge fehlen
SSL pending|Zertifikat fehlt
Chat app|Chat-App
Categorized|Eingeordnet
Uncategorized|Nicht eingeordnet
Drafts|Entwürfe
Junk|Spam
Trash|Papierkorb
All|Alle
Custom|Eigener
Sending|Wird gesendet
Running|Läuft
Ended|Beendet
Uploaded|Hochgeladen
Mapped|Spalten zugeordnet
Processing|Wird verarbeitet
Undoing|Wird rückgängig gemacht
Undone|Rückgängig gemacht
Listed|Nur aufgeführt
No address|Keine Adresse
Skip|Überspringen
Keep|Behalten
Equal|Gleichmäßig
Matched|Zugeordnet
Ignored|Ignoriert
Outgoing|Ausgehend
Unread|Ungelesen
Read|Gelesen
Auto follow up|Plant eine Wiedervorlage
Force follow up|Verlangt eine Wiedervorlage
Refused|Abgewiesen
Off|Aus
Warn|Warnen
Block|Verhindern
Desktop|Computer
Mobile|Telefon
Tablet|Tablet
Bot|Bot
Unknown|Unbekannt
Paused|Angehalten
Asc|Aufsteigend
Desc|Absteigend
Free|Kostenlos
Document|Dokument
Duplicate|Doppelt
Incoming invoice|Eingangsrechnung
Left to right|Von links nach rechts
Right to left|Von rechts nach links
You are given leads|Ihnen werden Leads zugewiesen
An import finds leads of yours again|Ein Import bringt Ihre Leads noch einmal
Your import has ended|Ihr Import ist beendet
You are given a task|Ihnen wird eine Aufgabe zugewiesen
A new invoice is yours|Ihnen wird eine neue Rechnung zugewiesen
An invoice of yours is paid|Eine Ihrer Rechnungen ist bezahlt
An invoice of yours is paid in part|Eine Ihrer Rechnungen ist teilweise bezahlt
An invoice of yours is voided|Eine Ihrer Rechnungen wird storniert
A payment of an invoice of yours is voided|Eine Zahlung zu einer Ihrer Rechnungen wird storniert
A credit note is applied to an invoice of yours|Eine Gutschrift wird mit einer Ihrer Rechnungen verrechnet
A quotation of yours is accepted|Eines Ihrer Angebote wird angenommen
A quotation of yours is rejected|Eines Ihrer Angebote wird abgelehnt
A quotation of yours expires|Eines Ihrer Angebote läuft ab
An estimate of yours is accepted|Einer Ihrer Kostenvoranschläge wird angenommen
An estimate of yours is declined|Einer Ihrer Kostenvoranschläge wird abgelehnt
An estimate of yours expires|Einer Ihrer Kostenvoranschläge läuft ab
A contract of yours is signed|Einer Ihrer Verträge wird unterschrieben
A contract of yours expires|Einer Ihrer Verträge läuft ab
A contract of yours is terminated|Einer Ihrer Verträge wird gekündigt
A purchase order of yours is received|Eine Ihrer Bestellungen geht ein
A purchase order of yours is cancelled|Eine Ihrer Bestellungen wird storniert
The workspace announces something|Der Arbeitsbereich teilt etwas mit
Somebody mentions you in a note on an asset|Jemand erwähnt Sie in einer Notiz zu einem Gegenstand
Somebody mentions you in a note on a company|Jemand erwähnt Sie in einer Notiz zu einer Firma
Somebody mentions you in a note on a contact|Jemand erwähnt Sie in einer Notiz zu einem Kontakt
Somebody mentions you in a note on a contract|Jemand erwähnt Sie in einer Notiz zu einem Vertrag
Somebody mentions you in a note on a credit note|Jemand erwähnt Sie in einer Notiz zu einer Gutschrift
Somebody mentions you in a note on an estimate|Jemand erwähnt Sie in einer Notiz zu einem Kostenvoranschlag
Somebody mentions you in a note on an expense|Jemand erwähnt Sie in einer Notiz zu einer Ausgabe
Somebody mentions you in a note on an incoming invoice|Jemand erwähnt Sie in einer Notiz zu einer Eingangsrechnung
Somebody mentions you in a note on an invoice|Jemand erwähnt Sie in einer Notiz zu einer Rechnung
Somebody mentions you in a note on a lead|Jemand erwähnt Sie in einer Notiz zu einem Lead
Somebody mentions you in a note on an opportunity|Jemand erwähnt Sie in einer Notiz zu einer Verkaufschance
Somebody mentions you in a note on a payment|Jemand erwähnt Sie in einer Notiz zu einer Zahlung
Somebody mentions you in a note on a project|Jemand erwähnt Sie in einer Notiz zu einem Projekt
Somebody mentions you in a note on a purchase order|Jemand erwähnt Sie in einer Notiz zu einer Bestellung
Somebody mentions you in a note on a quotation|Jemand erwähnt Sie in einer Notiz zu einem Angebot
Somebody mentions you in a note on a task|Jemand erwähnt Sie in einer Notiz zu einer Aufgabe
Change the status of an asset|Status eines Gegenstands ändern
Latitude|Breitengrad
Longitude|Längengrad
Reason ID|Grund
Reason notes|Bemerkung zum Grund
Check in reason|Grund beim Einchecken
Check in reason notes|Bemerkung beim Einchecken
Check out reason|Grund beim Auschecken
Check out reason notes|Bemerkung beim Auschecken
Change reason|Grund der Änderung
Check in IP|IP-Adresse beim Einchecken
Check out IP|IP-Adresse beim Auschecken
Context|Wofür
Channel|Kanal
Entity ID|Nummer des Datensatzes
Preview a communication template|Vorschau einer Textvorlage
Render|Ausfüllen
Render a communication template|Textvorlage ausfüllen
Note entries|Notizen
Assign a company|Firma zuweisen
Assign a contact|Kontakt zuweisen
Converted invoice|Daraus gemachte Rechnung
Sha256|SHA-256
Bytes|Bytes
Xml sha256|SHA-256 der XML-Datei
Signature|Unterschrift
Signer name|Unterzeichner
Signer email|E-Mail des Unterzeichners
Signed at|Unterschrieben am
Document sha256|SHA-256 des Dokuments
Attach PDF|PDF anhängen
Assign a contract|Vertrag zuweisen
Send a contract|Vertrag senden
Make an acceptance link of a contract|Link zum Annehmen eines Vertrags
Accept a contract|Vertrag annehmen
Change the status of a contract|Status eines Vertrags ändern
Invoice a contract|Vertrag berechnen
Email a contract|Vertrag mailen
Corrects invoice|Berichtigt Rechnung
Amount applied|Verrechneter Betrag
Amount remaining|Restbetrag
Delivery period start|Beginn des Leistungszeitraums
Delivery period end|Ende des Leistungszeitraums
Order reference|Bestellnummer
Tax exemption reason|Grund der Steuerbefreiung
SKU|Artikelnummer
Line total|Zeilensumme
Applications|Verrechnungen
Issue a credit note|Gutschrift ausstellen
Apply a credit note|Gutschrift verrechnen
Unapply|Verrechnung lösen
Unapply a credit note|Verrechnung einer Gutschrift lösen
Void a credit note|Gutschrift stornieren
Texts|Texte
Own|Eigene
document text|Text der Dokumente
Original name|Ursprünglicher Name
Mime|Dateityp
Size bytes|Größe in Bytes
Links|Verknüpfungen
Label|Bezeichnung
From name|Absendername
Imap host|IMAP-Server
Imap port|IMAP-Port
Imap encryption|IMAP-Verschlüsselung
Imap username|IMAP-Benutzername
Imap password|IMAP-Passwort
SMTP host|SMTP-Server
SMTP port|SMTP-Port
SMTP encryption|SMTP-Verschlüsselung
SMTP username|SMTP-Benutzername
SMTP password|SMTP-Passwort
Sync interval minutes|Minuten zwischen zwei Abgleichen
Syncing|Wird abgeglichen
Last synced at|Zuletzt abgeglichen
Last error|Letzter Fehler
Counts|Anzahlen
On server|Auf dem Server
Here|Hier
Quarantined|Nicht lesbar
Quarantine|Nicht lesbare Nachrichten
Folder|Ordner
Uid|UID
Remote path|Pfad auf dem Server
Unread count|Ungelesen
Total count|Gesamtzahl
Account uuid|E-Mail-Konto
Folder uuid|Ordner
Snippet|Textanfang
Starred|Markiert
Answered|Beantwortet
Forwarded|Weitergeleitet
Thread key|Unterhaltung
Attachments|Anhänge
Inline|Im Text
Content ID|Inhalts-ID
Labels|Kennzeichen
Before|Vor
Q|Suchbegriff
Sync an email account|E-Mail-Konto abgleichen
Make an email account the default|E-Mail-Konto zum Standard machen
Try the servers|Server ausprobieren
Try the servers of an email account|Server eines E-Mail-Kontos ausprobieren
Folders|Ordner
folder|Ordner
label|Kennzeichen
Messages search|Suche in Nachrichten
messages search|Suche in Nachrichten
Can edit|Darf geändert werden
Can delete|Darf gelöscht werden
For compose|Zum Schreiben
Render an email template|E-Mail-Vorlage ausfüllen
Manager ids|Leitung
Decline reason|Grund der Ablehnung
Assign an estimate|Kostenvoranschlag zuweisen
Send an estimate|Kostenvoranschlag senden
Accept an estimate|Kostenvoranschlag annehmen
Decline an estimate|Kostenvoranschlag ablehnen
Expire an estimate|Kostenvoranschlag ablaufen lassen
Convert an estimate|Kostenvoranschlag umwandeln
Email an estimate|Kostenvoranschlag mailen
Assign an expense|Ausgabe zuweisen
Change the status of an expense|Status einer Ausgabe ändern
Target|Vertretene Person
Token ID|Nummer der Sitzung
Mapping|Zuordnung der Spalten
Total rows|Zeilen
Processed rows|Verarbeitete Zeilen
Created count|Angelegt
Updated count|Geändert
Failed count|Fehlerhaft
Undone count|Rückgängig gemacht
Kept count|Behalten
Undone at|Rückgängig gemacht am
Kept|Behalten
Preview an import|Vorschau eines Imports
Run an import|Import starten
Undo an import|Import rückgängig machen
Format|Format
Vendor matched by|Lieferant erkannt an
Rejection reason|Grund der Ablehnung
Data|Daten
Syntax|Syntax
Type code|Rechnungsart
Specification|Spezifikation
Project reference|Projektnummer
Contract reference|Vertragsnummer
Sales order reference|Auftragsnummer
Preceding invoices|Vorausgegangene Rechnungen
Seller|Verkäufer
Trading name|Geschäftsname
Ids|Kennungen
Registration|Registernummer
Street 2|Adresszusatz
Contact name|Ansprechperson
Buyer|Käufer
Payee|Zahlungsempfänger
Means|Zahlungswege
Iban|IBAN
Account name|Kontoinhaber
Bic|BIC
Terms|Bedingungen
Adjustments|Zu- und Abschläge
Rate|Satz
Taxes|Steuern
Base|Grundlage
Totals|Summen
Allowances|Abschläge
Charges|Zuschläge
Prepaid|Vorausbezahlt
Rounding|Rundung
Buyer SKU|Artikelnummer des Käufers
Price quantity|Preis je Menge
Problems|Beanstandungen
Rule|Regel
Field|Feld
Notices|Hinweise
Email message uuid|E-Mail-Nachricht
Email attachment ID|Anhang der E-Mail
Make an expense of an incoming invoice|Aus einer Eingangsrechnung eine Ausgabe machen
Reject an incoming invoice|Eingangsrechnung ablehnen
Close an incoming invoice|Eingangsrechnung schließen
Reopen an incoming invoice|Eingangsrechnung wieder öffnen
inventory stock|Bestand
Adjust inventory stock|Bestand berichtigen
Dispatch an inventory transfer|Umlagerung versenden
Complete an inventory transfer|Umlagerung abschließen
Cancel an inventory transfer|Umlagerung stornieren
Recurrence frequency|Wiederholung
Recurrence next issue on|Nächste Rechnung am
Recurrence ends on|Serie endet am
Recurrence status|Stand der Serie
Recurring source invoice|Erste Rechnung der Serie
Payment allocations|Zugeordnete Zahlungen
Customer payment|Zahlung des Kunden
Latest unpaid generated invoice|Letzte offene Rechnung der Serie
Days|Tage
Fee|Gebühr
Email log uuid|E-Mail
Void latest unpaid|Letzte offene Rechnung stornieren
Assign an invoice|Rechnung zuweisen
Send an invoice|Rechnung senden
Void an invoice|Rechnung stornieren
Stop the recurrence of an invoice|Wiederholung einer Rechnung beenden
Make a pay link of an invoice|Link zum Bezahlen einer Rechnung
Remind a customer of an invoice|Kunden an eine Rechnung erinnern
Pause the reminders of an invoice|Erinnerungen an eine Rechnung anhalten
Resume the reminders of an invoice|Erinnerungen an eine Rechnung fortsetzen
Change the status of an invoice|Status einer Rechnung ändern
Email an invoice|Rechnung mailen
Steps|Stufen
Listed at|Erfasst am
Behavior|Wirkung
Auto follow up days|Tage bis zur Wiedervorlage
System|Vorgegeben
Ordereds|Reihenfolge
Reorder lead tags|Schlagworte ordnen
Unique fields|Felder, an denen Dubletten erkannt werden
Duplicate mode|Bei Dubletten
Assignment mode|Verteilung
Imported count|Importiert
Skipped count|Übersprungen
Duplicate count|Dubletten
Change the options|Einstellungen ändern
Change the options of an import of leads|Einstellungen eines Imports von Leads ändern
Change the table|Tabelle wählen
Change the table of an import|Tabelle eines Imports wählen
Change the table of an import of leads|Tabelle eines Imports von Leads wählen
Day order|Reihenfolge in Tagesangaben
Group sign|Tausendertrennzeichen
Headers|Spaltenköpfe
Import templates|Importvorlagen
import template|Importvorlage
Sheet|Tabellenblatt
Sheets|Tabellenblätter
Dmy|Tag, Monat, Jahr
Mdy|Monat, Tag, Jahr
Ymd|Jahr, Monat, Tag
Preview an import of leads|Vorschau eines Imports von Leads
Run an import of leads|Import von Leads starten
Undo an import of leads|Import von Leads rückgängig machen
Converted at|Umgewandelt am
Converted|Umgewandelt
Conversion meta|Angaben zur Umwandlung
Stub|Platzhalter
Next follow up at|Nächste Wiedervorlage am
Next follow up|Nächste Wiedervorlage
Tag ids|Schlagworte
Batch ID|Vorgang
Lead value min|Wert mindestens
Lead value max|Wert höchstens
Completed at|Erledigt am
Lead tag|Schlagwort
Old user|Bisher zuständig
New user|Neu zuständig
Changed by|Geändert von
Lead tag ID|Schlagwort
Assignment histories|Zuweisungen
Follow up|Wiedervorlage
Create opportunity|Verkaufschance anlegen
Default stage|Phase neuer Leads
Default stage ID|Phase neuer Leads
Default source|Quelle neuer Leads
Page ids|Seiten
Next|Nächste Wiedervorlage
Assign a lead|Lead zuweisen
Move a lead to another stage|Lead in andere Phase
Convert a lead|Lead umwandeln
Change the tags of a lead|Schlagworte eines Leads ändern
Change the social ads of leads|Anzeigen für Leads ändern
Choose the pages whose leads arrive|Seiten wählen, deren Leads eintreffen
Disconnect the social ads of leads|Anzeigen für Leads trennen
follow up|Wiedervorlage
assignment history|Zuweisung
Assign to website recipients|An die Empfänger von Website-Leads verteilen
Field map|Zuordnung der Felder
Errors|Fehler
Rotate a webhook of leads|Zugang für Leads erneuern
Leadgen ID|Nummer bei der Anzeige
Page ID|Nummer der Seite
Social ad deliveries|Leads aus Anzeigen
social ad delivery|Lead aus Anzeige
Read at|Gelesen am
Preferences|Einstellungen
Push|Push
notification|Benachrichtigung
Read a notification|Benachrichtigung als gelesen markieren
Change the preferences of notifications|Einstellungen der Benachrichtigungen ändern
Read all notifications|Alle Benachrichtigungen als gelesen markieren
Assign an opportunity|Verkaufschance zuweisen
Allocated amount|Zugeordneter Betrag
Unallocated amount|Nicht zugeordneter Betrag
Voided by|Storniert von
Voided at|Storniert am
Allocations|Zuordnungen
Allocate a payment|Zahlung zuordnen
Void a payment|Zahlung stornieren
Sequence|Auszugsnummer
From date|Von
To date|Bis
Entries|Buchungen
New entries|Neue Buchungen
Pending entries|Vorgemerkte Buchungen
Skipped rows|Übergangene Zeilen
Book the certain matches|Sichere Treffer buchen
Book the certain matches of a statement|Sichere Treffer eines Kontoauszugs buchen
Bank statement|Kontoauszug
Reversal|Rückbuchung
Counterparty name|Gegenpartei
Counterparty iban|IBAN der Gegenpartei
Remittance|Verwendungszweck
Creditor reference|Gläubigerreferenz
End to end ID|Ende-zu-Ende-Referenz
Bank reference|Referenz der Bank
Instructed amount|Beauftragter Betrag
Instructed currency|Beauftragte Währung
Certain|Sicher
Reasons|Gründe
Suggested|Vorgeschlagen
Match a bank transaction|Kontobewegung zuordnen
Unmatch a bank transaction|Zuordnung einer Kontobewegung lösen
Ignore a bank transaction|Kontobewegung ignorieren
Reopen a bank transaction|Kontobewegung wieder öffnen
Assign a project|Projekt zuweisen
Change the members of a project|Mitglieder eines Projekts ändern
Change the status of a project|Status eines Projekts ändern
Converted expense|Daraus gemachte Ausgabe
Assign a purchase order|Bestellung zuweisen
Send a purchase order|Bestellung senden
Receive a purchase order|Bestellung annehmen
Cancel a purchase order|Bestellung stornieren
Change the status of a purchase order|Status einer Bestellung ändern
Convert a purchase order|Bestellung umwandeln
Email a purchase order|Bestellung mailen
Assign a quotation|Angebot zuweisen
Send a quotation|Angebot senden
Make an acceptance link of a quotation|Link zum Annehmen eines Angebots
Accept a quotation|Angebot annehmen
Reject a quotation|Angebot ablehnen
Expire a quotation|Angebot ablaufen lassen
Convert a quotation|Angebot umwandeln
Email a quotation|Angebot mailen
Screen|Liste
Last clicked at|Zuletzt angeklickt am
Utm source|UTM-Quelle
Utm medium|UTM-Medium
Utm campaign|UTM-Kampagne
Utm term|UTM-Suchbegriff
Utm content|UTM-Inhalt
Clicked at|Angeklickt am
Device type|Gerät
Referrer|Verweisende Seite
Clicks|Klicks
click|Klick
Assign a task|Aufgabe zuweisen
Change the status of a task|Status einer Aufgabe ändern
Exclude from lead auto assign|Bei der Verteilung von Leads auslassen
Receive website leads|Erhält Leads der Website
Receive all users daily summary|Erhält die Tagesübersicht aller Benutzer
Lead commission rate|Provision für Leads
Create employee|Mitarbeiter anlegen
Make a user an employee|Benutzer zum Mitarbeiter machen
Impersonate a user|Als ein Benutzer arbeiten
Category ID|Kategorie
Impersonate a workspace|Als Inhaber arbeiten
Archive a workspace|Arbeitsbereich archivieren
Unarchive a workspace|Arbeitsbereich wieder öffnen
Verify a workspace owner|Inhaber eines Arbeitsbereichs bestätigen
Avatar path|Ablage des Bildes
Avatar URL|Adresse des Bildes
Invite token|Einladung
Employees check in and out themselves|Mitarbeiter checken selbst ein und aus
Whoever checks in late says why|Wer sich verspätet, nennt den Grund
Signing in checks in|Wer sich anmeldet, ist eingecheckt
When work on site begins|Beginn der Arbeit vor Ort
When remote work begins|Beginn der Arbeit von unterwegs
Minutes after which one is late|Minuten, nach denen jemand als verspätet gilt
Prefix of contract numbers|Anfang der Vertragsnummern
Prefix of credit note numbers|Anfang der Gutschriftnummern
Prefix of estimate numbers|Anfang der Nummern von Kostenvoranschlägen
Prefix of invoice numbers|Anfang der Rechnungsnummern
Prefix of payment numbers|Anfang der Zahlungsnummern
Prefix of purchase order numbers|Anfang der Bestellnummern
Prefix of quotation numbers|Anfang der Angebotsnummern
Registered name, on e-invoices; the name of the workspace unless set|Eingetragener Name auf E-Rechnungen; sonst der Name des Arbeitsbereichs
Street and number, on e-invoices|Straße und Hausnummer auf E-Rechnungen
Postcode, on e-invoices|Postleitzahl auf E-Rechnungen
Town, on e-invoices|Ort auf E-Rechnungen
Country (ISO 3166-1), on e-invoices|Land auf E-Rechnungen
VAT identification number, on e-invoices|USt-IdNr. auf E-Rechnungen
Tax number of the tax office, on e-invoices|Steuernummer des Finanzamts auf E-Rechnungen
IBAN to which invoices are paid, on e-invoices|IBAN auf E-Rechnungen, auf die gezahlt wird
BIC of that account|BIC dieses Kontos
Electronic address of the firm (an e-mail address, or scheme:id); the e-mail address of documents unless set|Elektronische Adresse der Firma (E-Mail-Adresse oder Schema:Kennung); sonst die E-Mail-Adresse auf Dokumenten
Whom customers ask about invoices, on e-invoices|Ansprechperson für Rechnungen auf E-Rechnungen
Their telephone|Deren Telefon
Their e-mail address|Deren E-Mail-Adresse
Put an e-invoice into the PDF of what is issued (off: never); where its data are missing, warn in the timeline or block|E-Rechnung in das PDF legen (Aus: nie); fehlen Angaben, im Verlauf warnen oder das Ausstellen verhindern
E-invoices|E-Rechnungen
Mail notifications too, besides the daily digests|Benachrichtigungen auch mailen, neben den Tagesübersichten
Time at which tasks that are due and the daily summaries are mailed|Uhrzeit, zu der fällige Aufgaben und Tagesübersichten gemailt werden
Whether accounts of the platform may work in the workspace|Konten der Plattform dürfen im Arbeitsbereich arbeiten
Until when the platform may change who may come in and where money goes|Bis wann die Plattform ändern darf, wer Zugang hat und wohin Geld geht
Complete a follow up of a lead|Wiedervorlage eines Leads erledigen
Error report|Liste der Fehler
Qr|QR-Code
Display status|Status
Url|Adresse
Api key|API-Schlüssel
Signing secret|Geheimnis für Signaturen
Invite url|Adresse der Einladung
Secret|Geheimnis
Batch|Auftrag
Passkey|Passkey
Transaction|Umsatz
Application|Bewerbung
Assignment|Zuweisung
Assignments|Zuweisungen
Endpoint|Endpunkt
Options|Optionen
Pages|Seiten
Payment method|Zahlungsart
Picture|Bild
Prices|Preise
Profile|Profil
Social ads|Anzeigen in sozialen Netzen
Template|Vorlage
Transfer|Umlagerung
View|Ansicht
`
    .trim()
    .split('\n')
    .map((line) => line.split('|')),
)
