package dev.tollgate.server.account;

/** Reason of a refusal, as clients get it in {@code details.reason}. The list is closed. */
public enum RefusalReason implements WireName {
  REAUTHENTICATION_REQUIRED("Prove your identity again."),
  ORGANIZATION_SUSPENDED("The organization is suspended."),
  LAST_OWNER("An organization needs an active owner."),
  LAST_OPERATOR("The gateway needs an active operator."),
  LAST_SIGN_IN_METHOD("An account needs a way to sign in."),
  DEVELOPERS_MAY_NOT_CREATE("Developers may not create keys in this organization."),
  OVER_POLICY("The key is beyond what the organization's policy allows."),
  OVER_CAP("The limit is above the operator's cap."),
  NAME_TAKEN("The name is taken."),
  EMAIL_TAKEN("The address is taken."),
  VERSION("The object was changed meanwhile."),
  RUNNING("The job is running."),
  ALREADY_MEMBER("The person is a member already."),
  OTHER_ADDRESS("The invitation is for another address."),
  NOT_A_PERSON("Control tokens may not do this."),
  LINK_USED_OR_EXPIRED("The link was used or has expired.");

  private final String message;

  RefusalReason(String message) {
    this.message = message;
  }

  public String message() {
    return message;
  }
}
