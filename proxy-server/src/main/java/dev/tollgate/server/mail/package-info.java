/**
 * Outgoing mail: messages are stored in the transaction of the change that they tell of, and a
 * thread of any node sends them by SMTP or writes them to files.
 */
@NullMarked
package dev.tollgate.server.mail;

import org.jspecify.annotations.NullMarked;
