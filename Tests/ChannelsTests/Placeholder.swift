import Channels
