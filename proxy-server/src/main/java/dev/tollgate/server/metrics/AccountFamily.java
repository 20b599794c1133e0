package dev.tollgate.server.metrics;

import static dev.tollgate.server.metrics.MetricDescriptor.counter;
import static dev.tollgate.server.metrics.MetricDescriptor.gauge;

/** Metric definitions of people's accounts: sign-ins, sessions, mails and the audit log. */
public enum AccountFamily implements MetricFamily {
  SIGN_INS(
      counter(
          "tollgate_control_sign_ins_total",
          "Passwords that were presented, by result: succeeded, failed, refused for the account's"
              + " state, or throttled.",
          "result")),
  PASSWORD_QUEUE(
      gauge("tollgate_control_password_queue_depth", "Passwords that wait to be hashed.")),
  SESSIONS(
      gauge(
          "tollgate_control_sessions",
          "Sessions of all nodes that have not ended, at the last count.")),
  MAILS(
      counter(
          "tollgate_control_mail_total",
          "Attempts to send a mail, by result: sent, retried or failed.",
          "result")),
  AUDIT_ROWS(
      counter(
          "tollgate_control_audit_rows_total",
          "Rows that this node committed to the audit log, by action.",
          "action"));

  @SuppressWarnings("ImmutableEnumChecker") // a record of immutable values
  private final MetricDescriptor descriptor;

  AccountFamily(MetricDescriptor descriptor) {
    this.descriptor = descriptor;
  }

  @Override
  public MetricDescriptor descriptor() {
    return descriptor;
  }
}
